// SPDX-License-Identifier: MIT
/* A profile whose text is too long says less: what goes, and what stays. */
#include <string.h>

#include "profile/weights.h"
#include "profile/operations/operations.h"
#include "unit/profile/profiles.h"

static void digits_keep_shares(void)
{
	struct profile *p = calloc(1, sizeof(*p));

	REQUIRE(p);
	p->stream_count = 2;
	memcpy(p->streams[1].zones, (uint32_t[]){0, 6100, 100, 3050, 49}, 5 * sizeof(uint32_t));
	memcpy(p->streams[1].run_distance, (uint32_t[]){61, 1, 0, 60}, 4 * sizeof(uint32_t));
	p->streams[1].reuse[5][32] = UINT32_MAX;
	memcpy(p->arrival.gaps[7], (uint32_t[]){122, 2, 61}, 3 * sizeof(uint32_t));
	profile__to_digits(p, false);
	CHECK(!memcmp(p->streams[1].zones, (uint32_t[]){0, 61, 1, 31, 0, 0}, 6 * sizeof(uint32_t)));
	CHECK(!memcmp(p->streams[1].run_distance, (uint32_t[]){61, 1, 0, 60, 0},
		      5 * sizeof(uint32_t)));
	CHECK_EQ(p->streams[1].reuse[5][32], DIGIT_MAX);
	CHECK_EQ(p->arrival.gaps[7][0], 122);
	profile__to_digits(p, true);
	CHECK(!memcmp(p->arrival.gaps[7], (uint32_t[]){61, 1, 31, 0}, 4 * sizeof(uint32_t)));
	free(p);
}

static void counts_become_digits(void)
{
	const uint64_t few[4] = {0, 61, 3, 1}, many[4] = {1ull << 62, 1ull << 61, 0, 5};
	uint32_t weights[4];

	digits_from_counts(few, 4, weights);
	CHECK(!memcmp(weights, (uint32_t[]){0, 61, 3, 1}, sizeof(weights)));
	digits_from_counts(many, 4, weights);
	CHECK(!memcmp(weights, (uint32_t[]){61, 31, 0, 0}, sizeof(weights)));
	digits_from_counts((uint64_t[]){0, 0}, 2, weights);
	CHECK(!weights[0] && !weights[1]);
}

static void where_gaps_lie_goes_where_there_are_none(void)
{
	struct profile_arrival *a;
	struct profile *p = calloc(1, sizeof(*p));

	REQUIRE(p);
	a = &p->arrival;
	for (unsigned int o = 9; o < 13; o++)
		a->gap_within[o].count = 2 + o;
	a->gap_histogram[10] = 1;
	a->gap_histogram[11] = 2;
	a->gap_histogram[12] = 1997;
	profile__drop_within(p, 1);
	CHECK_EQ(a->gap_within[9].count, 0);
	CHECK_EQ(a->gap_within[10].count, 0);
	CHECK_EQ(a->gap_within[11].count, 13);
	CHECK_EQ(a->gap_within[12].count, 14);
	for (unsigned int i = 0; i < 14; i++)
		a->gap_within[12].at[i] = i * 10;
	profile__thin_within(p);
	CHECK_EQ(a->gap_within[12].count, 7);
	CHECK_EQ(a->gap_within[12].at[0], 10);
	CHECK_EQ(a->gap_within[12].at[6], 130);
	free(p);
}

static void the_largest_neighbourhoods_stay(void)
{
	struct profile *p = calloc(1, sizeof(*p));

	REQUIRE(p);
	p->arrival.split_levels = 9;
	p->arrival.pinned_burst_count = 5;
	for (uint32_t i = 0; i < 5; i++)
		p->arrival.pinned_bursts[i] = (struct profile_pinned_burst){
			.window = i, .ios = {900, 100 * (i * 3 % 5), 90 - i}};
	profile__drop_bursts(p, 6);
	CHECK_EQ(p->arrival.pinned_burst_count, 5);
	profile__drop_bursts(p, 3);
	CHECK_EQ(p->arrival.pinned_burst_count, 3);
	/* 0, 300, 100, 400 and 200 around them after two splits. */
	CHECK_EQ(p->arrival.pinned_bursts[0].window, 1);
	CHECK_EQ(p->arrival.pinned_bursts[1].window, 3);
	CHECK_EQ(p->arrival.pinned_bursts[2].window, 4);
	free(p);
}

int main(void)
{
	RUN(digits_keep_shares);
	RUN(counts_become_digits);
	RUN(where_gaps_lie_goes_where_there_are_none);
	RUN(the_largest_neighbourhoods_stay);
	return TEST_RESULT;
}
