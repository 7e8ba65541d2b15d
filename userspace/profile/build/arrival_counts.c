// SPDX-License-Identifier: MIT
#include "profile/build/arrival_counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/classes.h"
#include "profile/weights.h"

#define IOS_PER_WINDOW_MIN 64
#define WINDOW_NS_MIN	   32000000ull
#define BIN_GAPS_MAX	   4096
#define WEIGHT_SUM	   1999
#define WITHIN_BITS	   10 /* PROFILE_GAP_WITHIN_PARTS */
#define WITHIN_SHARES	   64 /* of all gaps, each between two values */

struct arrival_counts {
	uint64_t duration_ns;
	uint32_t windows, split_levels;
	uint32_t window;      /* being filled */
	uint32_t last_window; /* of the last time; its bounds spare divisions */
	uint64_t begin_ns, end_ns;
	struct window_counts *in_window;
	uint64_t bin; /* being filled */
	uint64_t bin_end_ns;
	uint64_t last_ns;
	uint64_t bin_gaps[BIN_GAPS_MAX];
	uint32_t bin_gap_count;
	bool bin_started;
	uint64_t gaps[PROFILE_GAP_CLASSES][PROFILE_GAP_OCTAVES];
	uint64_t entry_gaps[PROFILE_GAP_CLASSES][PROFILE_GAP_OCTAVES];
	uint32_t gap_within[PROFILE_GAP_OCTAVES]
			   [PROFILE_GAP_WITHIN_PARTS]; /* gaps by their place in an octave */
	uint64_t bin_first_ns;
	uint64_t entry_gap_ns; /* entry gap of the bin being filled */
	bool has_entry_gap, any;
};

struct time_grid time_grid_for(uint64_t ios, uint64_t duration_ns, unsigned int window_shift)
{
	uint64_t windows =
		smaller_of(ios / IOS_PER_WINDOW_MIN, PROFILE_WINDOWS_MAX >> window_shift);
	struct time_grid grid;

	grid.windows = (uint32_t)smaller_of(windows, duration_ns / WINDOW_NS_MIN);
	grid.windows += !grid.windows;
	grid.phases = (uint32_t)smaller_of(grid.windows, PROFILE_PHASES_MAX >> window_shift);
	return grid;
}

uint32_t split_levels_to(uint64_t window_ns, uint64_t bin_ns)
{
	uint32_t split_levels = 0;

	while (split_levels < PROFILE_SPLIT_LEVELS_MAX && window_ns >> split_levels > bin_ns)
		split_levels++;
	return split_levels;
}

int arrival_counts__create(struct time_grid grid, uint64_t duration_ns, uint32_t split_levels,
			   const uint64_t above_bytes[PROFILE_SIZE_CLASSES],
			   struct arrival_counts **counts)
{
	struct arrival_counts *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->duration_ns = duration_ns;
	c->windows = grid.windows;
	c->split_levels = split_levels;
	if (window_counts__create(grid, duration_ns, split_levels, above_bytes, &c->in_window)) {
		free(c);
		return -ENOMEM;
	}
	*counts = c;
	return 0;
}

void arrival_counts__free(struct arrival_counts *c)
{
	if (c)
		window_counts__free(c->in_window);
	free(c);
}

static void count_within(struct arrival_counts *c, uint64_t gap_ns)
{
	unsigned int octave = gap_octave(gap_ns), shift = octave ? octave - 1 : 0;
	uint64_t above = gap_ns - (octave ? 1ull << shift : 0);

	if (above >> shift)
		above = (1ull << shift) - 1;
	c->gap_within[octave][shift > WITHIN_BITS ? above >> (shift - WITHIN_BITS)
						  : above << (WITHIN_BITS - shift)]++;
}

static void count_gap(struct arrival_counts *c, unsigned int class, uint64_t gap_ns)
{
	c->gaps[class][gap_octave(gap_ns)]++;
	count_within(c, gap_ns);
}

static void close_bin(struct arrival_counts *c)
{
	if (c->bin_started && c->has_entry_gap) {
		c->entry_gaps[entry_gap_class(c->bin_gap_count + 1ull)]
			     [gap_octave(c->entry_gap_ns)]++;
		count_within(c, c->entry_gap_ns);
	}
	if (c->bin_gap_count) {
		unsigned int class = gap_class(c->bin_gap_count + 1ull);

		for (uint32_t i = 0; i < c->bin_gap_count; i++)
			count_gap(c, class, c->bin_gaps[i]);
	}
	c->bin_gap_count = 0;
	c->bin_started = false;
}

uint32_t arrival_counts__window(struct arrival_counts *c, uint64_t time_ns)
{
	if (time_ns > c->begin_ns && time_ns < c->end_ns)
		return c->last_window;
	c->last_window = (uint32_t)part_of(c->duration_ns, time_ns, c->windows);
	c->begin_ns = part_begin(c->duration_ns, c->last_window, c->windows);
	c->end_ns = part_begin(c->duration_ns, c->last_window + 1ull, c->windows);
	return c->last_window;
}

/* The bin of the time, in the window found for it. */
static uint64_t bin_of(struct arrival_counts *c, uint64_t time_ns)
{
	uint64_t length_ns = c->end_ns - c->begin_ns, bin = 0;

	if (c->bin_started && c->last_window == c->window && time_ns >= c->bin_first_ns &&
	    time_ns < c->bin_end_ns)
		return c->bin;
	if (time_ns > c->begin_ns)
		bin = part_of(length_ns, time_ns - c->begin_ns, 1ull << c->split_levels);
	c->bin_end_ns = c->begin_ns +
			(uint64_t)((unsigned __int128)length_ns * (bin + 1) >> c->split_levels);
	return bin;
}

uint32_t arrival_counts__add(struct arrival_counts *c, uint64_t time_ns, bool is_read,
			     unsigned int class)
{
	uint32_t window = arrival_counts__window(c, time_ns);
	uint64_t bin = bin_of(c, time_ns);

	if (window != c->window) {
		close_bin(c);
		window_counts__close(c->in_window, c->window);
		c->window = window;
	} else if (bin != c->bin) {
		close_bin(c);
	}
	c->bin = bin;
	if (!c->bin_started) {
		c->has_entry_gap = c->any;
		c->entry_gap_ns = time_ns - c->last_ns;
	}
	c->any = true;
	if (c->bin_started && c->bin_gap_count == BIN_GAPS_MAX)
		count_gap(c, PROFILE_GAP_CLASSES - 1, time_ns - c->last_ns);
	else if (c->bin_started)
		c->bin_gaps[c->bin_gap_count++] = time_ns - c->last_ns;
	if (!c->bin_started)
		c->bin_first_ns = time_ns;
	c->bin_started = true;
	c->last_ns = time_ns;
	window_counts__add(c->in_window, bin, is_read, class);
	return window;
}

void arrival_counts__set_split_levels(struct arrival_counts *c, uint32_t split_levels)
{
	c->split_levels = split_levels;
	window_counts__set_split_levels(c->in_window, split_levels);
}

/* Values with equal shares of the octave's gaps between them: the more gaps, the more values. */
static void fill_octave(const uint32_t *counts, uint64_t octave_sum, uint32_t shares,
			uint64_t *gap_within)
{
	uint64_t seen = 0;
	uint32_t next = 0;

	for (uint32_t i = 0; i < PROFILE_GAP_WITHIN_PARTS && next <= shares; i++) {
		seen += counts[i];
		for (; next <= shares && counts[i] && seen * shares >= next * octave_sum; next++)
			gap_within[next] = i;
	}
}

static void fill_within(const struct arrival_counts *c, struct profile_arrival *arrival)
{
	uint64_t sums[PROFILE_GAP_OCTAVES] = {0}, sum = 0;

	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++)
		sum += sums[o] = sum_of_weights(c->gap_within[o], PROFILE_GAP_WITHIN_PARTS);
	weights_from_counts(sums, PROFILE_GAP_OCTAVES, WEIGHT_SUM, arrival->gap_histogram);
	for (unsigned int o = 2; o < PROFILE_GAP_OCTAVES; o++) {
		uint32_t shares;

		if (!sums[o])
			continue;
		shares = (uint32_t)(sums[o] * WITHIN_SHARES / sum + 1);
		shares = (uint32_t)smaller_of(at_most(shares, PROFILE_GAP_WITHIN_MAX - 1), sums[o]);
		arrival->gap_within[o].count = shares + 1;
		fill_octave(c->gap_within[o], sums[o], shares, arrival->gap_within[o].at);
	}
}

int arrival_counts__finish(struct arrival_counts *c, bool with_period,
			   struct profile_arrival *arrival)
{
	int err;

	close_bin(c);
	window_counts__close(c->in_window, c->window);
	err = window_counts__finish(c->in_window, with_period, arrival);
	if (err)
		return err;
	for (unsigned int row = 0; row < PROFILE_GAP_CLASSES; row++) {
		weights_from_counts(c->entry_gaps[row], PROFILE_GAP_OCTAVES, WEIGHT_SUM,
				    arrival->entry_gaps[row]);
		weights_from_counts(c->gaps[row], PROFILE_GAP_OCTAVES, WEIGHT_SUM,
				    arrival->gaps[row]);
	}
	fill_within(c, arrival);
	return 0;
}
