// SPDX-License-Identifier: MIT
/* Starts that are near an end only because the space is small, and those that are near on purpose. */
#include "profile/build/streams.h"

#include <string.h>

#include "profile/classes.h"
#include "profile/prng.h"
#include "unit/shared/test.h"
#include "workload/figures/recent_ends.h"

#define BLOCKS 262144u /* 1 GiB */
#define STARTS 4000u

static uint64_t near[PROFILE_RUN_DISTANCE_COLUMNS], zones[PROFILE_ZONES];

static void count(uint64_t at, const uint64_t ends[RECENT_ENDS])
{
	uint64_t least = UINT64_MAX, nearest = 0;

	for (unsigned int i = 0; i < RECENT_ENDS; i++) {
		uint64_t apart = at > ends[i] ? at - ends[i] : ends[i] - at;

		if (apart >= least)
			continue;
		least = apart;
		nearest = ends[i];
	}
	zones[at * PROFILE_ZONES / BLOCKS]++;
	near[least >> PROFILE_RUN_DISTANCE_OCTAVES ? 0
						   : run_distance_column(at > nearest, least)]++;
}

/* One in `every` starts goes on a few blocks behind the end before it; the others go anywhere below `to`. */
static bool by_chance(uint64_t to, unsigned int every)
{
	uint64_t ends[RECENT_ENDS] = {0};
	struct prng random;

	memset(near, 0, sizeof(near));
	memset(zones, 0, sizeof(zones));
	prng_seed(&random, 7);
	for (unsigned int i = 0; i < STARTS + RECENT_ENDS; i++) {
		uint64_t at = prng_next(&random) % to;

		if (every && i % every == 0)
			at = (ends[(i + RECENT_ENDS - 1) % RECENT_ENDS] + 4) % to;
		if (i >= RECENT_ENDS)
			count(at, ends);
		ends[i % RECENT_ENDS] = at + 1;
	}
	return is_near_by_chance(near, zones, (double)BLOCKS / PROFILE_ZONES);
}

static void random_starts_are_near_by_chance(void)
{
	CHECK(by_chance(BLOCKS, 0));
	CHECK(by_chance(BLOCKS / 8, 0));
}

static void starts_beside_the_last_are_not(void)
{
	CHECK(!by_chance(BLOCKS, 2));
	CHECK(!by_chance(BLOCKS, 8));
	CHECK(!by_chance(BLOCKS / 8, 8));
}

static void without_starts_nothing_is(void)
{
	memset(near, 0, sizeof(near));
	memset(zones, 0, sizeof(zones));
	CHECK(!is_near_by_chance(near, zones, 1));
}

int main(void)
{
	RUN(random_starts_are_near_by_chance);
	RUN(starts_beside_the_last_are_not);
	RUN(without_starts_nothing_is);
	return TEST_RESULT;
}
