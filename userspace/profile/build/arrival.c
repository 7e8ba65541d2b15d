// SPDX-License-Identifier: MIT
#include "profile/build/arrival.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/classes.h"
#include "profile/build/pinned_bursts.h"
#include "profile/build/split_counts.h"
#include "profile/build/class_trees.h"
#include "profile/build/fit_bin.h"
#include "profile/build/gap_rows.h"
#include "profile/arrival/split_rows.h"
#include "profile/weights.h"

#define IOS_PER_WINDOW_MIN 64
#define WINDOW_NS_MIN	   32000000ull
#define BIN_GAPS_MAX	   4096
#define BURST_NS	   10000000ull
#define WEIGHT_SUM	   1999
#define WITHIN_BITS	   10 /* PROFILE_GAP_WITHIN_PARTS */
#define WITHIN_SHARES	   64 /* of all gaps, each between two values */

struct arrival_builder {
	uint64_t duration_ns;
	uint32_t windows, split_levels;
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
	uint64_t gap_after[PROFILE_GAP_OCTAVES][PROFILE_GAP_OCTAVES];
	uint32_t gap_within[PROFILE_GAP_OCTAVES]
			   [PROFILE_GAP_WITHIN_PARTS]; /* gaps by their place in an octave */
	uint64_t spans_ns[PROFILE_GAP_CLASSES], span_bins[PROFILE_GAP_CLASSES];
	uint64_t bin_first_ns;
	uint64_t entry_gap_ns; /* entry gap of the bin being filled */
	bool has_entry_gap, any;
	/* The first times, held until they have decided how long a bin is; then NULL. */
	uint64_t *held_ns;
	uint8_t *held_kinds; /* is a read + 2 * size class */
	uint32_t held, held_max;
	uint64_t peak_cap[PROFILE_SPLIT_LEVELS_MAX];
	struct pinned_bursts bursts;
};

uint32_t windows_for(uint64_t ios, uint64_t duration_ns)
{
	uint64_t windows = ios / IOS_PER_WINDOW_MIN;

	if (windows > PROFILE_WINDOWS_MAX)
		windows = PROFILE_WINDOWS_MAX;
	if (windows > duration_ns / WINDOW_NS_MIN)
		windows = duration_ns / WINDOW_NS_MIN;
	return windows ? (uint32_t)windows : 1;
}

uint32_t split_levels_to(uint64_t window_ns, uint64_t bin_ns)
{
	uint32_t split_levels = 0;

	while (split_levels < PROFILE_SPLIT_LEVELS_MAX && window_ns >> split_levels > bin_ns)
		split_levels++;
	return split_levels;
}

/* The level of the intervals in which bursts are looked for. */
static uint32_t burst_level(const struct arrival_builder *b)
{
	uint32_t level = 0;

	while (level < b->split_levels && b->duration_ns / b->windows >> level > BURST_NS)
		level++;
	return level;
}

static int create(uint64_t ios, uint64_t duration_ns, uint32_t split_levels,
		  const uint64_t above_bytes[PROFILE_SIZE_CLASSES],
		  struct arrival_builder **builder)
{
	struct arrival_builder *b = calloc(1, sizeof(*b));

	if (!b)
		return -ENOMEM;
	b->duration_ns = duration_ns;
	b->windows = windows_for(ios, duration_ns);
	b->split_levels = split_levels;
	b->bursts.level = burst_level(b);
	b->tree = calloc(2ull << b->split_levels, sizeof(*b->tree));
	b->bins = b->tree + (1ull << b->split_levels);
	if (!b->tree || filled_parts_init(&b->filled, split_levels) ||
	    class_trees__create(split_levels, above_bytes, &b->classes)) {
		arrival_builder__free(b);
		return -ENOMEM;
	}
	*builder = b;
	return 0;
}

int arrival_builder__create_with_levels(uint64_t ios, uint64_t duration_ns, uint32_t split_levels,
					struct arrival_builder **builder)
{
	return create(ios, duration_ns, split_levels, (const uint64_t[PROFILE_SIZE_CLASSES]){0},
		      builder);
}

int arrival_builder__create(uint64_t ios, uint64_t duration_ns,
			    const uint64_t above_bytes[PROFILE_SIZE_CLASSES],
			    struct arrival_builder **builder)
{
	uint64_t window_ns = duration_ns / windows_for(ios, duration_ns);
	struct arrival_builder *b;
	int err = create(ios, duration_ns, split_levels_to(window_ns, BIN_NS), above_bytes, &b);

	if (err)
		return err;
	b->held_max = ios < FIT_IOS ? (uint32_t)ios + 1 : FIT_IOS;
	b->held_ns = calloc(b->held_max ? b->held_max : 1, sizeof(*b->held_ns));
	b->held_kinds = calloc(b->held_max ? b->held_max : 1, sizeof(*b->held_kinds));
	if (!b->held_ns || !b->held_kinds) {
		arrival_builder__free(b);
		return -ENOMEM;
	}
	*builder = b;
	return 0;
}

void arrival_builder__free(struct arrival_builder *b)
{
	if (!b)
		return;
	free(b->tree);
	filled_parts_release(&b->filled);
	class_trees__free(b->classes);
	free(b->held_ns);
	free(b->held_kinds);
	free(b);
}

static void count_within(struct arrival_builder *b, uint64_t gap_ns)
{
	unsigned int octave = gap_octave(gap_ns), shift = octave ? octave - 1 : 0;
	uint64_t above = gap_ns - (octave ? 1ull << shift : 0);

	if (above >> shift)
		above = (1ull << shift) - 1;
	b->gap_within[octave][shift > WITHIN_BITS ? above >> (shift - WITHIN_BITS)
						  : above << (WITHIN_BITS - shift)]++;
}

static void count_gap(struct arrival_builder *b, unsigned int class, uint64_t gap_ns)
{
	b->gaps[class][gap_octave(gap_ns)]++;
	count_within(b, gap_ns);
}

/* Counts the gaps of a bin, each given the previous one. */
static void count_order(struct arrival_builder *b)
{
	unsigned int before = gap_octave(b->has_entry_gap ? b->entry_gap_ns : UINT64_MAX);

	for (uint32_t i = 0; i < b->bin_gap_count; i++) {
		unsigned int octave = gap_octave(b->bin_gaps[i]);

		b->gap_after[before][octave]++;
		before = octave;
	}
}

static void close_bin(struct arrival_builder *b)
{
	if (b->bin_started && b->has_entry_gap) {
		b->entry_gaps[entry_gap_class(b->bin_gap_count + 1ull)]
			     [gap_octave(b->entry_gap_ns)]++;
		count_within(b, b->entry_gap_ns);
	}
	if (b->bin_gap_count) {
		unsigned int class = gap_class(b->bin_gap_count + 1ull);

		for (uint32_t i = 0; i < b->bin_gap_count; i++)
			count_gap(b, class, b->bin_gaps[i]);
		count_order(b);
		b->spans_ns[class] += b->last_ns - b->bin_first_ns;
		b->span_bins[class]++;
	}
	b->bin_gap_count = 0;
	b->bin_started = false;
}

/* IOs of interval `index` of a level of the window. */
static uint32_t interval_ios(const struct arrival_builder *b, uint32_t level, uint64_t index)
{
	return b->tree[(1ull << level) + index];
}

/* The sums around the busiest interval of a window, from the window down to the bin. */
static void find_burst(const struct arrival_builder *b, struct profile_pinned_burst *burst)
{
	uint32_t level = b->bursts.level, best = 0;
	const uint32_t *parts = filled_parts_of(&b->filled, level);

	*burst = (struct profile_pinned_burst){.window = b->window};
	for (uint32_t i = 0; i < b->filled.counts[level]; i++)
		if (!best || b->tree[parts[i]] > b->tree[best])
			best = parts[i];
	best -= 1u << level;
	for (; level < b->split_levels; level++) {
		best *= 2;
		if (interval_ios(b, level + 1, best + 1) > interval_ios(b, level + 1, best))
			best++;
	}
	burst->bin = best;
	for (level = 1; level <= b->split_levels; level++)
		burst->ios[level - 1] = interval_ios(b, level, best >> (b->split_levels - level));
	class_trees__note_burst(b->classes, burst);
}

/* Sums up the IOs of all intervals, and keeps the most of each level. */
static void sum_parts(struct arrival_builder *b)
{
	for (uint32_t level = b->split_levels; level--;) {
		const uint32_t *parts = filled_parts_of(&b->filled, level);

		for (uint32_t i = 0; i < b->filled.counts[level]; i++) {
			uint32_t left = b->tree[2 * parts[i]], right = b->tree[2 * parts[i] + 1];
			uint32_t more = left > right ? left : right;

			b->tree[parts[i]] = left + right;
			if (more > b->peak_cap[level])
				b->peak_cap[level] = more;
		}
	}
}

static void clear_parts(struct arrival_builder *b)
{
	for (uint32_t level = 0; level <= b->split_levels; level++) {
		const uint32_t *parts = filled_parts_of(&b->filled, level);

		for (uint32_t i = 0; i < b->filled.counts[level]; i++)
			b->tree[parts[i]] = 0;
	}
	filled_parts_clear(&b->filled);
}

static void close_window(struct arrival_builder *b)
{
	struct profile_pinned_burst burst;

	close_bin(b);
	filled_parts_climb(&b->filled);
	sum_parts(b);
	class_trees__split(b->classes, &b->filled);
	if (b->counts[b->window] && b->bursts.level) {
		find_burst(b, &burst);
		pinned_bursts_offer(&b->bursts, &burst);
	}
	split_counts_add(&b->splits, b->tree, &b->filled);
	class_trees__close(b->classes, b->window, &b->filled);
	clear_parts(b);
}

static uint32_t window_of(struct arrival_builder *b, uint64_t time_ns)
{
	if (time_ns > b->begin_ns && time_ns < b->end_ns)
		return b->last_window;
	b->last_window = (uint32_t)part_of(b->duration_ns, time_ns, b->windows);
	b->begin_ns = part_begin(b->duration_ns, b->last_window, b->windows);
	b->end_ns = part_begin(b->duration_ns, b->last_window + 1ull, b->windows);
	return b->last_window;
}

/* The bin of the time, in the window found for it. */
static uint64_t bin_of(struct arrival_builder *b, uint64_t time_ns)
{
	uint64_t length_ns = b->end_ns - b->begin_ns, bin = 0;

	if (b->bin_started && b->last_window == b->window && time_ns >= b->bin_first_ns &&
	    time_ns < b->bin_end_ns)
		return b->bin;
	if (time_ns > b->begin_ns)
		bin = part_of(length_ns, time_ns - b->begin_ns, 1ull << b->split_levels);
	b->bin_end_ns = b->begin_ns +
			(uint64_t)((unsigned __int128)length_ns * (bin + 1) >> b->split_levels);
	return bin;
}

static void count_time(struct arrival_builder *b, uint64_t time_ns, bool is_read,
		       unsigned int class)
{
	uint32_t window = window_of(b, time_ns);
	uint64_t bin = bin_of(b, time_ns);

	if (window != b->window) {
		close_window(b);
		b->window = window;
		b->bin = bin;
	} else if (bin != b->bin) {
		close_bin(b);
		b->bin = bin;
	}
	if (!b->bin_started) {
		b->has_entry_gap = b->any;
		b->entry_gap_ns = time_ns - b->last_ns;
	}
	b->any = true;
	if (b->bin_started && b->bin_gap_count == BIN_GAPS_MAX)
		count_gap(b, PROFILE_GAP_CLASSES - 1, time_ns - b->last_ns);
	else if (b->bin_started)
		b->bin_gaps[b->bin_gap_count++] = time_ns - b->last_ns;
	if (!b->bin_started)
		b->bin_first_ns = time_ns;
	b->bin_started = true;
	b->last_ns = time_ns;
	if (!b->bins[bin]++)
		filled_parts_note(&b->filled, bin);
	b->counts[window]++;
	class_trees__add(b->classes, bin, is_read, class);
}

/* The held times decide how long a bin is, and are counted then. */
static void count_held(struct arrival_builder *b, bool all)
{
	uint64_t *held_ns = b->held_ns;

	b->held_ns = NULL;
	b->split_levels =
		split_levels_to(b->duration_ns / b->windows, fit_bin_ns(held_ns, b->held, all));
	b->bursts.level = burst_level(b);
	b->bins = b->tree + (1ull << b->split_levels);
	b->filled.split_levels = b->split_levels;
	class_trees__set_split_levels(b->classes, b->split_levels);
	for (uint32_t i = 0; i < b->held; i++)
		count_time(b, held_ns[i], b->held_kinds[i] & 1, b->held_kinds[i] / 2);
	free(held_ns);
}

uint32_t arrival_builder__add(struct arrival_builder *b, uint64_t time_ns, bool is_read,
			      unsigned int class)
{
	uint32_t window = window_of(b, time_ns);

	if (!b->held_ns) {
		count_time(b, time_ns, is_read, class);
		return window;
	}
	b->held_kinds[b->held] = (uint8_t)(is_read + 2 * class);
	b->held_ns[b->held++] = time_ns;
	if (b->held == b->held_max)
		count_held(b, false);
	return window;
}

uint32_t arrival_builder__windows(const struct arrival_builder *b)
{
	return b->windows;
}

uint32_t arrival_builder__phases(const struct arrival_builder *b)
{
	return b->windows < PROFILE_PHASES_MAX ? b->windows : PROFILE_PHASES_MAX;
}

/* Values with equal shares of the octave's gaps between them: the more gaps, the more values. */
static void fill_octave(const uint32_t *counts, uint64_t octave_sum, uint32_t shares,
			uint32_t *gap_within)
{
	uint64_t seen = 0;
	uint32_t next = 0;

	for (uint32_t i = 0; i < PROFILE_GAP_WITHIN_PARTS && next <= shares; i++) {
		seen += counts[i];
		for (; next <= shares && counts[i] && seen * shares >= next * octave_sum; next++)
			gap_within[next] = i;
	}
}

static void fill_within(const struct arrival_builder *b, struct profile_arrival *arrival)
{
	uint64_t sums[PROFILE_GAP_OCTAVES] = {0}, sum = 0;

	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++) {
		for (unsigned int i = 0; i < PROFILE_GAP_WITHIN_PARTS; i++)
			sums[o] += b->gap_within[o][i];
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
		arrival->gap_within_count[o] = shares + 1;
		fill_octave(b->gap_within[o], sums[o], shares, arrival->gap_within[o]);
	}
}

static void fill_spans(const struct arrival_builder *b, struct profile_arrival *arrival)
{
	uint64_t bin_ns = (b->duration_ns / b->windows) >> b->split_levels;

	for (unsigned int c = 0; c < PROFILE_GAP_CLASSES && bin_ns; c++)
		if (b->span_bins[c])
			arrival->bin_span_permille[c] = (uint32_t)at_most(
				(unsigned int)part_begin(1000, b->spans_ns[c] / b->span_bins[c],
							 bin_ns),
				1000);
}

/* Pinned bursts are not drawn: the tables are of all other intervals. */
static void settle_bursts(struct arrival_builder *b)
{
	uint64_t ios = 0;

	if (!b->bursts.level)
		return;
	for (uint32_t i = 0; i < b->windows; i++)
		ios += b->counts[i];
	pinned_bursts_choose(&b->bursts,
			     (double)ios / (double)((uint64_t)b->windows << b->bursts.level));
	for (uint32_t i = 0; i < b->bursts.count; i++) {
		const struct profile_pinned_burst *burst = &b->bursts.bursts[i];
		uint64_t window_ios = b->counts[burst->window];

		split_counts_forget(&b->splits, b->split_levels, window_ios, burst->ios);
		class_trees__forget_burst(b->classes, burst, window_ios);
	}
}

void arrival_builder__finish(struct arrival_builder *b, struct profile_arrival *arrival)
{
	if (b->held_ns)
		count_held(b, true);
	close_window(b);
	settle_bursts(b);
	arrival->window_count = b->windows;
	arrival->split_levels = b->split_levels;
	memcpy(arrival->windows, b->counts, sizeof(b->counts));
	class_trees__finish(b->classes, arrival_builder__phases(b), arrival);
	if (!arrival->kinds_known)
		split_counts_finish(&b->splits, b->split_levels, &arrival->splits[KIND_ALL]);
	memcpy(arrival->peak_cap, b->peak_cap, sizeof(b->peak_cap));
	arrival->pinned_burst_count = b->bursts.count;
	memcpy(arrival->pinned_bursts, b->bursts.bursts, sizeof(b->bursts.bursts));
	for (uint32_t i = 0; i < arrival->pinned_burst_count; i++)
		arrival->pinned_bursts[i].sized = burst_classes_known(arrival);
	for (unsigned int c = 0; c < PROFILE_GAP_CLASSES; c++)
		weights_from_counts(b->entry_gaps[c], PROFILE_GAP_OCTAVES, WEIGHT_SUM,
				    arrival->entry_gaps[c]);
	for (unsigned int c = 0; c < PROFILE_GAP_CLASSES; c++)
		weights_from_counts(b->gaps[c], PROFILE_GAP_OCTAVES, WEIGHT_SUM, arrival->gaps[c]);
	gap_rows_from_counts((const uint64_t(*)[PROFILE_GAP_OCTAVES])b->gap_after,
			     arrival->gap_after);
	fill_within(b, arrival);
	fill_spans(b, arrival);
}
