// SPDX-License-Identifier: MIT
#include "profile/arrival/split_rows.h"

#include "profile/classes.h"
#include "profile/random_share.h"

#define SLOPE_TRIES 16

/* The last row before. NULL without one. */
static const uint32_t *row_of(const struct profile_splits *splits, unsigned int level,
			      unsigned int class)
{
	for (unsigned int g = level + 1; g--;)
		if (sum_of_weights(splits->distributions[g][class], PROFILE_SPLIT_COLUMNS))
			return splits->distributions[g][class];
	return NULL;
}

/* Else the row of the next smaller number of IOs, or the next larger one. */
static const uint32_t *nearest_row(const struct profile_splits *splits, unsigned int level,
				   unsigned int class)
{
	const uint32_t *row = NULL;

	for (unsigned int c = class + 1; c-- && !row;)
		row = row_of(splits, level, c);
	for (unsigned int c = class + 1; c < PROFILE_SPLIT_ROWS && !row; c++)
		row = row_of(splits, level, c);
	return row ? row : splits->distributions[level][class];
}

void split_rows_init(struct split_rows *r, const struct profile_splits *splits)
{
	for (unsigned int g = 0; g < PROFILE_SPLIT_GROUPS; g++)
		for (unsigned int c = 0; c < PROFILE_SPLIT_ROWS; c++)
			r->rows[g][c] = nearest_row(splits, g, c);
}

/* Weight per 256th of n of a column but the first. */
static uint64_t density(const uint32_t *weights, unsigned int column)
{
	return ((uint64_t)weights[column] << 16) / (split_edges[column] - split_edges[column + 1]);
}

/*
 * How likely a difference is within its column, in 1024ths of the likeliest one: the density goes
 * straight from the mean with the neighbour on one side to that on the other.
 */
static uint64_t slope(const uint32_t *weights, unsigned int column, uint64_t difference, uint64_t n)
{
	uint64_t own = density(weights, column), high = own, low = own, most, at;
	uint64_t width = split_edges[column] - split_edges[column + 1], offset;

	if (column > 1)
		high = (own + density(weights, column - 1)) / 2;
	if (column < PROFILE_SPLIT_COLUMNS - 1)
		low = (own + density(weights, column + 1)) / 2;
	most = high > low ? high : low;
	if (!most)
		return 1024;
	at = difference * 256;
	offset = at > n * split_edges[column + 1] ? at - n * split_edges[column + 1] : 0;
	offset = smaller_of(offset, n * width);
	at = part_begin(low, n * width - offset, n * width) + part_begin(high, offset, n * width);
	return at * 1024 / most;
}

/* How many more IOs the fuller half gets: any number of the column by which n can be split. */
uint64_t split_draw_difference(const uint32_t *weights, uint64_t n, struct prng *random)
{
	int column = prng_weighted(random, weights, PROFILE_SPLIT_COLUMNS);
	uint64_t low, high, choices, difference = n;

	if (column == 0)
		return n;
	if (column < 0) {
		uint64_t half = random_half(n, random);

		return 2 * half > n ? 2 * half - n : n - 2 * half;
	}
	low = n * split_edges[column + 1] / 256 + 1;
	if (column == PROFILE_SPLIT_COLUMNS - 1)
		low = 0;
	high = n * split_edges[column] / 256;
	if (high == n)
		high--;
	high -= (high ^ n) & 1 && high ? 1 : 0;
	low += (low ^ n) & 1;
	if (low >= high)
		return high | (n & 1);
	choices = (high - low) / 2 + 1;
	for (unsigned int tries = 0; tries < SLOPE_TRIES; tries++) {
		difference = low + 2 * prng_below(random, choices);
		if (prng_below(random, 1024) < slope(weights, (unsigned int)column, difference, n))
			break;
	}
	return difference;
}
