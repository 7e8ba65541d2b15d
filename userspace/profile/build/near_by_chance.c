// SPDX-License-Identifier: MIT
#include "profile/build/near_by_chance.h"

#include <math.h>

#include "profile/classes.h"
#include "workload/figures/recent_ends.h"

#define ALIKE 0.05 /* distance of two distributions (Kolmogorov-Smirnov) */

static double sum_of(const uint64_t *counts, unsigned int count)
{
	double sum = 0;

	for (unsigned int i = 0; i < count; i++)
		sum += (double)counts[i];
	return sum;
}

/* The share of starts within `blocks` of an end, if both are drawn from the zones. */
static double expected_within(const uint64_t zones[PROFILE_ZONES], double zone_blocks,
			      double blocks)
{
	const double all = sum_of(zones, PROFILE_ZONES);
	double within = 0;

	for (unsigned int i = 0; i < PROFILE_ZONES; i++) {
		double share = (double)zones[i] / all;

		within -= share * expm1(-2 * RECENT_ENDS * share * blocks / zone_blocks);
	}
	return within;
}

bool is_near_by_chance(const uint64_t run_distance[PROFILE_RUN_DISTANCE_COLUMNS],
		       const uint64_t zones[PROFILE_ZONES], double zone_blocks)
{
	const double starts = sum_of(run_distance, PROFILE_RUN_DISTANCE_COLUMNS);
	double within = 0;

	for (unsigned int bits = 0; bits <= PROFILE_RUN_DISTANCE_OCTAVES; bits++) {
		uint64_t blocks = 1ull << bits;

		within += (double)run_distance[run_distance_column(true, blocks - 1)];
		if (bits)
			within += (double)run_distance[run_distance_column(false, blocks - 1)];
		if (fabs(within / starts - expected_within(zones, zone_blocks, (double)blocks)) >
		    ALIKE)
			return false;
	}
	return starts > 0;
}
