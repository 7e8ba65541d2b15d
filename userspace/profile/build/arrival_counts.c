// SPDX-License-Identifier: MIT
#include "profile/build/arrival_counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/classes.h"
#include "profile/build/pinned_bursts.h"
#include "profile/build/split_counts.h"
#include "profile/build/class_trees.h"
#include "profile/arrival/split_rows.h"
#include "profile/weights.h"

#define IOS_PER_WINDOW_MIN 64
#define WINDOW_NS_MIN	   32000000ull
#define BIN_GAPS_MAX	   4096
#define BURST_NS	   10000000ull
#define WEIGHT_SUM	   1999
#define WITHIN_BITS	   10 /* PROFILE_GAP_WITHIN_PARTS */
#define WITHIN_SHARES	   64 /* of all gaps, each between two values */

struct arrival_counts {
	uint64_t duration_ns;
	uint32_t windows, phases, split_levels;
	uint32_t window;      /* being filled */
	uint32_t last_window; /* of the last time; its bounds spare divisions */
	uint64_t begin_ns, end_ns;
	uint64_t counts[PROFILE_WINDOWS_MAX];
	uint32_t *tree; /* counts in this window: of 1 << level parts from 1 << level on */
	uint32_t *bins; /* the last level of it */
	struct filled_parts filled;
	struct class_trees *classes;
	struct split_counts splits;
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
	uint64_t peak_cap[PROFILE_SPLIT_LEVELS_MAX];
	struct pinned_bursts bursts;
};

static uint32_t least_of(uint64_t a, uint64_t b)
{
	return (uint32_t)(a < b ? a : b);
}

struct time_grid time_grid_for(uint64_t ios, uint64_t duration_ns, unsigned int window_shift)
{
	uint64_t windows = least_of(ios / IOS_PER_WINDOW_MIN, PROFILE_WINDOWS_MAX >> window_shift);
	struct time_grid grid;

	grid.windows = least_of(windows, duration_ns / WINDOW_NS_MIN);
	grid.windows += !grid.windows;
	grid.phases = least_of(grid.windows, PROFILE_PHASES_MAX >> window_shift);
	return grid;
}

uint32_t split_levels_to(uint64_t window_ns, uint64_t bin_ns)
{
	uint32_t split_levels = 0;

	while (split_levels < PROFILE_SPLIT_LEVELS_MAX && window_ns >> split_levels > bin_ns)
		split_levels++;
	return split_levels;
}

/* The level of the intervals in which bursts are looked for. */
static uint32_t burst_level(const struct arrival_counts *c)
{
	uint32_t level = 0;

	while (level < c->split_levels && c->duration_ns / c->windows >> level > BURST_NS)
		level++;
	return level;
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
	c->phases = grid.phases;
	c->split_levels = split_levels;
	c->bursts.level = burst_level(c);
	c->tree = calloc(2ull << c->split_levels, sizeof(*c->tree));
	c->bins = c->tree + (1ull << c->split_levels);
	if (!c->tree || filled_parts_init(&c->filled, split_levels) ||
	    class_trees__create(split_levels, above_bytes, &c->classes)) {
		arrival_counts__free(c);
		return -ENOMEM;
	}
	*counts = c;
	return 0;
}

void arrival_counts__free(struct arrival_counts *c)
{
	if (!c)
		return;
	free(c->tree);
	filled_parts_release(&c->filled);
	class_trees__free(c->classes);
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

/* IOs of interval `index` of a level of the window. */
static uint32_t interval_ios(const struct arrival_counts *c, uint32_t level, uint64_t index)
{
	return c->tree[(1ull << level) + index];
}

/* The sums around the busiest interval of a window, from the window down to the bin. */
static void find_burst(const struct arrival_counts *c, struct profile_pinned_burst *burst)
{
	uint32_t level = c->bursts.level, best = 0;
	const uint32_t *parts = filled_parts_of(&c->filled, level);

	*burst = (struct profile_pinned_burst){.window = c->window};
	for (uint32_t i = 0; i < c->filled.counts[level]; i++)
		if (!best || c->tree[parts[i]] > c->tree[best])
			best = parts[i];
	best -= 1u << level;
	for (; level < c->split_levels; level++) {
		best *= 2;
		if (interval_ios(c, level + 1, best + 1) > interval_ios(c, level + 1, best))
			best++;
	}
	burst->bin = best;
	for (level = 1; level <= c->split_levels; level++)
		burst->ios[level - 1] = interval_ios(c, level, best >> (c->split_levels - level));
	class_trees__note_burst(c->classes, burst);
}

/* Sums up the IOs of all intervals, and keeps the most of each level. */
static void sum_parts(struct arrival_counts *c)
{
	for (uint32_t level = c->split_levels; level--;) {
		const uint32_t *parts = filled_parts_of(&c->filled, level);

		for (uint32_t i = 0; i < c->filled.counts[level]; i++) {
			uint32_t left = c->tree[2 * parts[i]], right = c->tree[2 * parts[i] + 1];
			uint32_t more = left > right ? left : right;

			c->tree[parts[i]] = left + right;
			if (more > c->peak_cap[level])
				c->peak_cap[level] = more;
		}
	}
}

static void clear_parts(struct arrival_counts *c)
{
	for (uint32_t level = 0; level <= c->split_levels; level++) {
		const uint32_t *parts = filled_parts_of(&c->filled, level);

		for (uint32_t i = 0; i < c->filled.counts[level]; i++)
			c->tree[parts[i]] = 0;
	}
	filled_parts_clear(&c->filled);
}

static void close_window(struct arrival_counts *c)
{
	struct profile_pinned_burst burst;

	close_bin(c);
	filled_parts_climb(&c->filled);
	sum_parts(c);
	class_trees__split(c->classes, &c->filled);
	if (c->counts[c->window] && c->bursts.level) {
		find_burst(c, &burst);
		pinned_bursts_offer(&c->bursts, &burst);
	}
	split_counts_add(&c->splits, c->tree, &c->filled);
	class_trees__close(c->classes, c->window, &c->filled);
	clear_parts(c);
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
		close_window(c);
		c->window = window;
		c->bin = bin;
	} else if (bin != c->bin) {
		close_bin(c);
		c->bin = bin;
	}
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
	if (!c->bins[bin]++)
		filled_parts_note(&c->filled, bin);
	c->counts[window]++;
	class_trees__add(c->classes, bin, is_read, class);
	return window;
}

void arrival_counts__set_split_levels(struct arrival_counts *c, uint32_t split_levels)
{
	c->split_levels = split_levels;
	c->bursts.level = burst_level(c);
	c->bins = c->tree + (1ull << split_levels);
	c->filled.split_levels = split_levels;
	class_trees__set_split_levels(c->classes, split_levels);
}

uint32_t arrival_counts__windows(const struct arrival_counts *c)
{
	return c->windows;
}

uint32_t arrival_counts__phases(const struct arrival_counts *c)
{
	return c->phases;
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

	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++) {
		for (unsigned int i = 0; i < PROFILE_GAP_WITHIN_PARTS; i++)
			sums[o] += c->gap_within[o][i];
		sum += sums[o];
	}
	weights_from_counts(sums, PROFILE_GAP_OCTAVES, WEIGHT_SUM, arrival->gap_histogram);
	for (unsigned int o = 2; o < PROFILE_GAP_OCTAVES; o++) {
		uint32_t shares;

		if (!sums[o])
			continue;
		shares = (uint32_t)(sums[o] * WITHIN_SHARES / sum + 1);
		if (shares > PROFILE_GAP_WITHIN_MAX - 1)
			shares = PROFILE_GAP_WITHIN_MAX - 1;
		if (shares > sums[o])
			shares = (uint32_t)sums[o];
		arrival->gap_within[o].count = shares + 1;
		fill_octave(c->gap_within[o], sums[o], shares, arrival->gap_within[o].at);
	}
}

/* Pinned bursts are not drawn: the tables are of all other intervals. */
static void settle_bursts(struct arrival_counts *c)
{
	uint64_t ios = sum_of_counts(c->counts, c->windows);

	if (!c->bursts.level)
		return;
	pinned_bursts_choose(&c->bursts,
			     (double)ios / (double)((uint64_t)c->windows << c->bursts.level));
	for (uint32_t i = 0; i < c->bursts.count; i++) {
		const struct profile_pinned_burst *burst = &c->bursts.bursts[i];
		uint64_t window_ios = c->counts[burst->window];

		split_counts_forget(&c->splits, c->split_levels, window_ios, burst->ios);
		class_trees__forget_burst(c->classes, burst, window_ios);
	}
}

void arrival_counts__finish(struct arrival_counts *c, struct profile_arrival *arrival)
{
	close_window(c);
	settle_bursts(c);
	arrival->window_count = c->windows;
	arrival->split_levels = c->split_levels;
	memcpy(arrival->windows, c->counts, sizeof(c->counts));
	class_trees__finish(c->classes, arrival_counts__phases(c), arrival);
	if (!arrival->kinds_known)
		split_counts_finish(&c->splits, c->split_levels, &arrival->splits[KIND_ALL]);
	memcpy(arrival->peak_cap, c->peak_cap, sizeof(c->peak_cap));
	arrival->pinned_burst_count = c->bursts.count;
	memcpy(arrival->pinned_bursts, c->bursts.bursts, sizeof(c->bursts.bursts));
	for (uint32_t i = 0; i < arrival->pinned_burst_count; i++)
		arrival->pinned_bursts[i].sized = burst_classes_known(arrival);
	for (unsigned int row = 0; row < PROFILE_GAP_CLASSES; row++)
		weights_from_counts(c->entry_gaps[row], PROFILE_GAP_OCTAVES, WEIGHT_SUM,
				    arrival->entry_gaps[row]);
	for (unsigned int row = 0; row < PROFILE_GAP_CLASSES; row++)
		weights_from_counts(c->gaps[row], PROFILE_GAP_OCTAVES, WEIGHT_SUM,
				    arrival->gaps[row]);
	fill_within(c, arrival);
}
