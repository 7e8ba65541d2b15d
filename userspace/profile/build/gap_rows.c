// SPDX-License-Identifier: MIT
#include "profile/build/gap_rows.h"

#include <math.h>

#include "profile/weights.h"

#define WEIGHT_SUM  9999 /* of all rows */
#define ROWS_WANTED 8
#define GAPS_LEAST  256
#define APART_LEAST 0.1 /* mean distance of a row from all gaps alike, 0 to 1 */

/* Adds a row of counts to `into`; returns its sum. */
static uint64_t add_row(uint64_t *into, const uint64_t *row)
{
	uint64_t sum = 0;

	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++) {
		into[o] += row[o];
		sum += row[o];
	}
	return sum;
}

/*
 * Distance of two rows, half the sum of the differences of shares: 0 the same, 1 nothing in common.
 */
static double apart(const uint64_t *row, uint64_t row_sum_of, const uint64_t *all, uint64_t all_sum)
{
	double sum = 0;

	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++)
		sum += fabs((double)row[o] / (double)row_sum_of - (double)all[o] / (double)all_sum);
	return sum / 2;
}

void gap_rows_from_counts(const uint64_t counts[PROFILE_GAP_OCTAVES][PROFILE_GAP_OCTAVES],
			  uint32_t rows[PROFILE_GAP_OCTAVES][PROFILE_GAP_OCTAVES])
{
	uint64_t merged[PROFILE_GAP_OCTAVES][PROFILE_GAP_OCTAVES] = {0},
		 sums[PROFILE_GAP_OCTAVES] = {0};
	uint64_t all[PROFILE_GAP_OCTAVES] = {0}, all_sum = 0;
	unsigned int row = 0;
	double distance = 0;

	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++)
		all_sum += add_row(all, counts[o]);
	if (all_sum < GAPS_LEAST)
		return;
	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++) {
		if (sums[row] >= all_sum / ROWS_WANTED)
			row = o;
		sums[row] += add_row(merged[row], counts[o]);
	}
	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++)
		if (sums[o])
			distance += apart(merged[o], sums[o], all, all_sum) * (double)sums[o];
	if (distance < APART_LEAST * (double)all_sum)
		return;
	weights_from_counts(merged[0], PROFILE_GAP_OCTAVES * PROFILE_GAP_OCTAVES, WEIGHT_SUM,
			    rows[0]);
}
