// SPDX-License-Identifier: MIT
/* The most recent ends of runs, and runs of small requests. */
#include "unit/shared/test.h"

#include "workload/figures/recent_ends.h"

static void run_ends_are_ranked_by_age(void)
{
	struct recent_ends r = {0};

	CHECK_EQ(recent_ends_rank(&r, 0), -1);
	for (unsigned int i = 0; i < RECENT_ENDS + 8; i++)
		recent_ends_add(&r, -1, 1000 + 8 * i, i);
	CHECK_EQ(r.count, RECENT_ENDS);
	for (unsigned int i = 0; i < RECENT_ENDS; i++) {
		CHECK_EQ(recent_ends_rank(&r, 1000 + 8 * (RECENT_ENDS + 7 - i)), i);
		CHECK_EQ(r.owners[i], RECENT_ENDS + 7 - i);
	}
	CHECK_EQ(recent_ends_rank(&r, 1000 + 8 * 7), -1);
	/* A run that continues moves to the front, and its old end is removed. */
	recent_ends_add(&r, 5, 77, 99);
	CHECK_EQ(recent_ends_rank(&r, 77), 0);
	CHECK_EQ(r.owners[0], 99);
	CHECK_EQ(recent_ends_rank(&r, 1000 + 8 * (RECENT_ENDS + 2)), -1);
	CHECK_EQ(recent_ends_rank(&r, 1000 + 8 * (RECENT_ENDS + 7)), 1);
	CHECK_EQ(recent_ends_rank(&r, 1000 + 8 * (RECENT_ENDS + 1)), 6);
	/* Each end is stored once. */
	recent_ends_add(&r, -1, 1000 + 8 * (RECENT_ENDS + 1), 1);
	recent_ends_add(&r, -1, 1000 + 8 * (RECENT_ENDS + 1), 2);
	CHECK_EQ(r.count, RECENT_ENDS);
	CHECK_EQ(recent_ends_rank(&r, 77), 1);
}

/* The end of appends of 100 bytes is that of their bytes, rounded up once. */
static void bytes_are_carried_along_a_run(void)
{
	struct recent_ends r = {0};
	uint64_t begin = 5000;

	recent_ends_follow(&r, -1, begin, 100, 0);
	CHECK_EQ(r.ends[0], 5001);
	for (unsigned int i = 1; i < 52; i++) {
		begin = r.ends[0];
		recent_ends_follow(&r, 0, begin, 100, 0);
		CHECK_EQ(r.count, 1);
		CHECK_EQ(r.ends[0], 5000 + (100 * (i + 1) + 511) / 512);
	}
	/* Another run begins anew and does not change the first one. */
	recent_ends_follow(&r, -1, 9000, 513, 0);
	CHECK_EQ(r.ends[0], 9002);
	recent_ends_follow(&r, 1, r.ends[1], 412, 0);
	CHECK_EQ(r.ends[0], 5000 + (5200 + 412 + 511) / 512);
	recent_ends_follow(&r, 1, r.ends[1], 511, 0);
	CHECK_EQ(r.ends[0], 9002);
}

int main(void)
{
	RUN(run_ends_are_ranked_by_age);
	RUN(bytes_are_carried_along_a_run);
	return TEST_RESULT;
}
