// SPDX-License-Identifier: MIT
/*
 * Speed of generating alone: takes the IOs of a profile as a replay does and neither writes nor
 * prints them. The clock is this process's CPU time.
 *
 *     bench_generate PROFILE SECONDS SEED    prints rows cpu_ns
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "profile/closed_loop/closed_loop.h"
#include "profile/generate/file_generator.h"

static int generate_ios(const struct profile *p, uint64_t seed, uint64_t duration_ns,
			uint64_t *rows)
{
	struct closed_loop *loop = NULL;
	struct closed_row row;
	int err = closed_loop__create(p, seed, duration_ns, &loop);

	while (!err && (err = closed_loop__next(loop, &row)) > 0) {
		++*rows;
		err = 0;
	}
	closed_loop__free(loop);
	return err;
}

static int generate_accesses(const struct profile *p, uint64_t seed, uint64_t duration_ns,
			     uint64_t *rows)
{
	struct file_generator *generator = NULL;
	struct access_row row;
	int err = file_generator__create(p, seed, &generator);

	if (!err)
		file_generator__repeat(generator, duration_ns);
	while (!err && (err = file_generator__next(generator, &row)) > 0) {
		++*rows;
		err = 0;
	}
	file_generator__free(generator);
	return err;
}

int main(int argc, char **argv)
{
	char message[PROFILE_MESSAGE_MAX];
	uint64_t duration_ns, seed, rows = 0, begin_ns;
	struct profile *profile;
	int err;

	if (argc != 4)
		return 2;
	duration_ns = strtoull(argv[2], NULL, 10) * NSEC_PER_SEC;
	seed = strtoull(argv[3], NULL, 10);
	err = profile__load(argv[1], &profile, message);
	if (err) {
		fprintf(stderr, "%s: %s\n", argv[1], *message ? message : strerror(-err));
		return 1;
	}
	begin_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	if (profile->level == PROFILE_OF_FILES)
		err = generate_accesses(profile, seed, duration_ns, &rows);
	else
		err = generate_ios(profile, seed, duration_ns, &rows);
	printf("%" PRIu64 " %" PRIu64 "\n", rows, clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_ns);
	profile__free(profile);
	if (err)
		fprintf(stderr, "%s: %s\n", argv[1], strerror(-err));
	return err ? 1 : 0;
}
