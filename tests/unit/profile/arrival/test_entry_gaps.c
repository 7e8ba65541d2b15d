// SPDX-License-Identifier: MIT
/* Times between IOs that are longer than the smallest interval whose IOs a profile counts. */
#include <string.h>

#include "profile/classes.h"
#include "profile/text/builtin.h"
#include "profile/generate/generator.h"
#include "unit/profile/profiles.h"

#define MS	  1000000ull
#define BURST_IOS 8u
#define SEEDS	  3u

#define SHORT_OCTAVES 17u /* below 66 us */

/*
 * Requests that follow each other after 14 to 33 ms, some of them in bursts (so that bins are
 * short), and pauses.
 */
static const char closed_loop[] =
	"9000 times: 1 read 250us apart, 7 reads 250us apart in 1 of 10, a pause of 14ms to 33ms, "
	"a pause of 0s to 10s in 1 of 60; seed 5";

/* Gaps longer than one, in ns, and shorter than the other. */
static uint64_t between(const struct profile *p, uint64_t seed, int64_t least_ns, int64_t most_ns)
{
	struct profile_generator *generator;
	uint64_t last_ns = 0, count = 0;
	struct io_row row;

	if (profile_generator__create(p, seed, &generator))
		abort();
	while (profile_generator__next(generator, &row) > 0) {
		int64_t gap_ns = (int64_t)(row.created_ns - last_ns);

		count += gap_ns > least_ns && gap_ns < most_ns;
		last_ns = row.created_ns;
	}
	profile_generator__free(generator);
	return count;
}

static void of_a_closed_loop_stay(void)
{
	struct profile *p = profile_of_sentence(closed_loop);

	/* A bin is much shorter than the gaps. */
	CHECK(p->duration_ns / p->arrival.window_count >> p->arrival.split_levels < 5 * MS);
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		/* The trace has none between those of a burst and the others. */
		uint64_t found = between(p, seed, MS, 12 * MS);

		CHECK(12 * found < p->ios);
		if (12 * found >= p->ios)
			printf("# %llu of %llu\n", (unsigned long long)found,
			       (unsigned long long)p->ios);
	}
	profile__free(p);
}

/* Bursts of 8 IOs, but no row says what gaps bins of 5 to 8 have. */
static void come_from_the_nearest_row(void)
{
	struct profile *p = profile_of_sentence(closed_loop);
	unsigned int class = gap_class(BURST_IOS);

	memset(p->arrival.gaps[class], 0, sizeof(p->arrival.gaps[class]));
	/* The first IO of all has none before it. */
	CHECK(between(p, 1, -1, 1) <= 1);
	profile__free(p);
}

/*
 * Of the web server's IOs that wait behind each other on a disk of some 0.5 ms it is the median
 * that tells: an IO in a hundred that should follow another and comes alone makes it a quarter
 * less.
 */
static void are_short_as_often_as_said(void)
{
	const char *text = profile_builtin("web");
	char message[PROFILE_MESSAGE_MAX] = "";
	uint64_t ended = 0, all = 0, found;
	struct profile *p = NULL;

	if (profile__parse(text, strlen(text), &p, message))
		abort();
	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++) {
		all += p->arrival.gap_histogram[o];
		ended += o < SHORT_OCTAVES ? p->arrival.gap_histogram[o] : 0;
	}
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		double lacking;

		found = between(p, seed, -1, 1 << (SHORT_OCTAVES - 1));
		lacking = (double)ended / (double)all - (double)found / (double)p->ios;
		CHECK(lacking < 0.0075 && lacking > -0.0075);
		if (lacking >= 0.0075 || lacking <= -0.0075)
			printf("# lacking %.4f\n", lacking);
	}
	profile__free(p);
}

int main(void)
{
	RUN(are_short_as_often_as_said);
	RUN(of_a_closed_loop_stay);
	RUN(come_from_the_nearest_row);
	return TEST_RESULT;
}
