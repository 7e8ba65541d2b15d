// SPDX-License-Identifier: MIT
#include "profile/arrival/split.h"

#include "profile/bins.h"

#define SLOPE_TRIES 16

static bool any(const uint32_t *weights)
{
	for (unsigned int i = 0; i < PROFILE_SPLIT_BINS; i++)
		if (weights[i])
			return true;
	return false;
}

/* Where levels are said one by one, the last row before; else that of the next smaller number. */
static const uint32_t *row_of(const struct profile_halves *halves, unsigned int group,
			      unsigned int class, bool by_level)
{
	for (;; class --) {
		for (unsigned int g = group + 1; g-- && (by_level || g == group);)
			if (any(halves->splits[g][class]))
				return halves->splits[g][class];
		if (!class)
			return halves->splits[group][0];
	}
}

void halves_rows_init(struct halves_rows *r, const struct profile_halves *halves, bool by_level)
{
	for (unsigned int g = 0; g < PROFILE_SPLIT_GROUPS; g++)
		for (unsigned int c = 0; c < PROFILE_SPLIT_CLASSES; c++)
			r->rows[g][c] = row_of(halves, g, c, by_level);
}

/* Weight per 256th of n of a bin but the first. */
static uint64_t density(const uint32_t *weights, unsigned int bin)
{
	return ((uint64_t)weights[bin] << 16) / (split_edges[bin] - split_edges[bin + 1]);
}

/*
 * How likely a difference is within its bin, in 1024ths of the likeliest there: the density goes
 * straight from the mean with the neighbour on one side to that on the other.
 */
static uint64_t slope(const uint32_t *weights, unsigned int bin, uint64_t difference, uint64_t n)
{
	uint64_t own = density(weights, bin), high = own, low = own, most, at;
	uint64_t width = split_edges[bin] - split_edges[bin + 1], offset;

	if (bin > 1)
		high = (own + density(weights, bin - 1)) / 2;
	if (bin < PROFILE_SPLIT_BINS - 1)
		low = (own + density(weights, bin + 1)) / 2;
	most = high > low ? high : low;
	if (!most)
		return 1024;
	at = difference * 256;
	offset = at > n * split_edges[bin + 1] ? at - n * split_edges[bin + 1] : 0;
	if (offset > n * width)
		offset = n * width;
	at = part_begin(low, n * width - offset, n * width) + part_begin(high, offset, n * width);
	return at * 1024 / most;
}

/* How many more IOs the fuller half gets: any number of the bin that n can be split by. */
uint64_t halves_draw_difference(const uint32_t *weights, uint64_t n, struct prng *random)
{
	int bin = prng_weighted(random, weights, PROFILE_SPLIT_BINS);
	uint64_t low, high, choices, difference = n;

	if (bin == 0)
		return n;
	if (bin < 0)
		return n & 1;
	low = n * split_edges[bin + 1] / 256 + 1;
	if (bin == PROFILE_SPLIT_BINS - 1)
		low = 0;
	high = n * split_edges[bin] / 256;
	if (high == n)
		high--;
	high -= (high ^ n) & 1 && high ? 1 : 0;
	low += (low ^ n) & 1;
	if (low >= high)
		return high | (n & 1);
	choices = (high - low) / 2 + 1;
	for (unsigned int tries = 0; tries < SLOPE_TRIES; tries++) {
		difference = low + 2 * prng_below(random, choices);
		if (prng_below(random, 1024) < slope(weights, (unsigned int)bin, difference, n))
			break;
	}
	return difference;
}
