// SPDX-License-Identifier: MIT
#include "bench/workload.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/exit_codes.h"
#include "base/log.h"
#include "base/units.h"
#include "jobs/fio.h"

/* What is drawn repeats: enough that no cache of a device holds it, and few where time is short. */
#define DRAWN_IOS	(1u << 20)
#define DRAWN_IOS_SHORT (1u << 17)
#define SHORT_NS	(5 * NSEC_PER_SEC)
#define KIB		1024ull
#define MIB		(1024 * KIB)
/* Passes over a small target are given together: each beginning has a cost. */
#define PASSES_IOS (1ull << 14)
/* Of a pass over the whole target. */
#define PASS_IOS_MAX (1ull << 20)

static void print_head(FILE *out, uint64_t ios, uint64_t bytes)
{
	fprintf(out,
		"[profile]\nversion = 1\nios = %" PRIu64 "\nduration = 60s\nend_sector = %" PRIu64
		"\n",
		ios, (uint64_t)(bytes / SECTOR_BYTES));
}

static void print_stream(FILE *out, int number, const char *op, uint64_t ios, uint64_t bs_bytes,
			 const char *place)
{
	fprintf(out, "[stream %d]\nop = %s\nios = %" PRIu64 "\nsize = %" PRIu64 "\nplace = %s\n",
		number, op, ios, bs_bytes, place);
}

static void print_suite(FILE *out, const struct bench_point *p, uint64_t target_bytes)
{
	const char *place = p->random ? "uniform" : "sequential";
	uint64_t slots = target_bytes / p->bs_bytes,
		 ios = p->runtime_ns < SHORT_NS ? DRAWN_IOS_SHORT : DRAWN_IOS;
	int number = 1;

	/* In order: whole passes, or else the next one would begin before the end. */
	if (!p->random && slots < PASS_IOS_MAX)
		ios = slots < PASSES_IOS ? PASSES_IOS / slots * slots : slots;
	else if (!p->random)
		ios = PASS_IOS_MAX;
	print_head(out, ios, slots * p->bs_bytes);
	if (p->mix_pct)
		print_stream(out, number++, "read", (uint64_t)p->mix_pct, p->bs_bytes, place);
	if (p->mix_pct < 100)
		print_stream(out, number, "write", 100 - (uint64_t)p->mix_pct, p->bs_bytes, place);
}

/*
 * One pass over all of the target. What no whole IO covers is one IO of the rest: sizes are drawn
 * without putting back, so each byte is covered once.
 */
static void print_pass(FILE *out, const char *op, uint64_t bs_bytes, uint64_t target_bytes)
{
	uint64_t ios, rest_bytes;

	while (target_bytes / bs_bytes >= PASS_IOS_MAX)
		bs_bytes *= 2;
	ios = target_bytes / bs_bytes;
	rest_bytes = target_bytes % bs_bytes / SECTOR_BYTES * SECTOR_BYTES;
	print_head(out, ios + (rest_bytes > 0), ios * bs_bytes + rest_bytes);
	fprintf(out, "[stream 1]\nop = %s\nios = 1\nplace = sequential\nsizes =", op);
	if (rest_bytes)
		fprintf(out, " %" PRIu64 ":1", rest_bytes);
	if (ios)
		fprintf(out, " %" PRIu64 ":%" PRIu64, bs_bytes, ios);
	fputc('\n', out);
}

static int print_jobs(FILE *out, const struct bench_point *p, uint64_t target_bytes, char *message)
{
	FILE *in = fopen(p->source, "re");
	struct profile *profile = NULL;
	int err;

	if (!in)
		return -errno;
	err = profile__from_fio_group(in, p->source, target_bytes, p->group, &profile, message);
	fclose(in);
	if (!err)
		err = profile__save(profile, out);
	profile__free(profile);
	return err;
}

static int print_workload(FILE *out, const struct bench_point *p, uint64_t target_bytes,
			  char *message)
{
	if (p->kind == BENCH_JOBS)
		return print_jobs(out, p, target_bytes, message);
	if (p->kind == BENCH_SUITE)
		print_suite(out, p, target_bytes);
	else if (p->kind == BENCH_PURGE)
		print_pass(out, "discard", MIB, target_bytes);
	else
		print_pass(out, "write", 128 * KIB, target_bytes);
	return 0;
}

int bench_workload(const struct bench_point *p, uint64_t target_bytes, int *fd)
{
	char message[PROFILE_MESSAGE_MAX] = "";
	FILE *out;
	int err = 0;

	*fd = -1;
	if (p->kind == BENCH_SOURCE)
		return EXIT_OK;
	*fd = memfd_create("point", MFD_CLOEXEC);
	out = *fd < 0 ? NULL : fdopen(dup(*fd), "w");
	if (!out)
		err = -errno;
	if (!err)
		err = print_workload(out, p, target_bytes, message);
	if (out && fclose(out) && !err)
		err = -EIO;
	if (!err && lseek(*fd, 0, SEEK_SET))
		err = -EIO;
	if (!err)
		return EXIT_OK;
	pr_err("%s: cannot make its IOs: %s", p->name, *message ? message : strerror(-err));
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return EXIT_FAILED;
}
