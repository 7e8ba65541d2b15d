// SPDX-License-Identifier: MIT
#include "profile/build/window_counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/classes.h"
#include "profile/arrival/class_counts.h"
#include "profile/arrival/period.h"
#include "profile/build/coarse_counts.h"
#include "profile/build/period_search.h"
#include "profile/build/pinned_bursts.h"
#include "profile/build/split_counts.h"
#include "profile/arrival/split_rows.h"
#include "profile/arrival/read_split.h"
#include "profile/random_share.h"
#include "profile/weights.h"

/*
 * Reads and others split apart, unless few IOs tell, one comes where the other does not, or both
 * come together. The figures compare squares of differences: of all, and of reads and others alone.
 */
#define KINDS_IOS_MIN 4096
#define ALONE_LEAST   0.8
#define ALONE_MOST    1.25

#define BURST_NS 10000000ull

/* How the members of a kind split: a table of the profile. */
struct share_counts {
	uint64_t columns[PROFILE_SHARE_ROWS][PROFILE_SHARE_COLUMNS];
	struct chance_sums sums[PROFILE_SHARE_ROWS];
};

/* IOs of an interval. */
struct interval {
	uint64_t ios, counts[CLASS_COUNTS];
};

struct window_counts {
	struct time_grid grid;
	uint64_t window_ns, duration_ns;
	uint32_t split_levels;
	uint64_t above_bytes[PROFILE_SIZE_CLASSES];
	struct filled_parts filled;	    /* of this window */
	struct coarse_counts coarse;	    /* of all windows; the splits above are counted last */
	struct window_halves halves[KINDS]; /* of a window, by the period */
	/* Counts in this window: of 1 << level parts from 1 << level on. */
	uint32_t *trees[KINDS];
	uint32_t (*size_classes)[PROFILE_SIZE_CLASSES]; /* of an interval, needed together */
	struct interval windows[PROFILE_WINDOWS_MAX];
	struct split_counts splits[KINDS];
	uint64_t peak_cap[PROFILE_SPLIT_LEVELS_MAX];
	uint64_t correlated[PROFILE_CORRELATIONS_MAX][2];
	struct share_counts read_shares, class_shares[PROFILE_SIZE_CLASSES / 2];
	double apart,
		apart_alone; /* squares of differences of halves: of all, of reads and others */
	struct pinned_bursts bursts;
	uint32_t next_window; /* after the last that was closed */
};

void window_counts__free(struct window_counts *w)
{
	if (!w)
		return;
	for (unsigned int k = 0; k < KINDS; k++) {
		free(w->trees[k]);
		free(w->halves[k].halves);
	}
	free(w->size_classes);
	filled_parts_release(&w->filled);
	coarse_counts_release(&w->coarse);
	free(w);
}

int window_counts__create(struct time_grid grid, uint64_t duration_ns, uint32_t split_levels,
			  const uint64_t above_bytes[PROFILE_SIZE_CLASSES],
			  struct window_counts **counts)
{
	struct window_counts *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return -ENOMEM;
	w->grid = grid;
	w->duration_ns = duration_ns;
	w->window_ns = duration_ns / grid.windows;
	memcpy(w->above_bytes, above_bytes, sizeof(w->above_bytes));
	err = filled_parts_init(&w->filled, split_levels)
		      ?: coarse_counts_init(&w->coarse, grid.windows, split_levels);
	for (unsigned int k = 0; k < KINDS && !err; k++) {
		w->trees[k] = calloc(2ull << split_levels, sizeof(*w->trees[k]));
		err = w->trees[k] ? 0 : -ENOMEM;
	}
	w->size_classes = calloc(2ull << split_levels, sizeof(*w->size_classes));
	if (err || !w->size_classes) {
		window_counts__free(w);
		return -ENOMEM;
	}
	window_counts__set_split_levels(w, split_levels);
	*counts = w;
	return 0;
}

void window_counts__set_split_levels(struct window_counts *w, uint32_t split_levels)
{
	w->split_levels = w->filled.split_levels = split_levels;
	coarse_counts_set_split_levels(&w->coarse, split_levels);
	/* Of the intervals in which bursts are looked for. */
	w->bursts.level = 0;
	while (w->bursts.level < split_levels && w->window_ns >> w->bursts.level > BURST_NS)
		w->bursts.level++;
}

void window_counts__add(struct window_counts *w, uint64_t bin, bool is_read, unsigned int class)
{
	uint64_t at = (1ull << w->split_levels) + bin;
	unsigned int first = is_read ? 0 : PROFILE_SIZE_CLASSES / 2;

	if (!w->trees[KIND_ALL][at]++)
		filled_parts_note(&w->filled, bin);
	w->trees[is_read ? KIND_READS : KIND_OTHERS][at]++;
	for (unsigned int i = 0; i < class; i++)
		w->size_classes[at][first + i] += w->above_bytes[first + i] > 0;
}

static double square(double value)
{
	return value * value;
}

/* Counts how different the halves are, and whether the half with more others has more reads. */
static void count_apart(struct window_counts *w, uint64_t index)
{
	const uint32_t *reads = &w->trees[KIND_READS][2 * index];
	const uint32_t *others = &w->trees[KIND_OTHERS][2 * index];
	double apart_reads = (double)reads[0] - (double)reads[1];
	double apart_others = (double)others[0] - (double)others[1];
	double ios = (double)w->trees[KIND_ALL][index];

	w->apart_alone += (square(apart_others) + square(apart_reads)) / ios;
	w->apart += square(apart_others + apart_reads) / ios;
	if (others[0] != others[1] && reads[0] != reads[1])
		w->correlated[(bits_of(index) - 1) / NEIGHBOUR_LEVELS]
			     [(others[0] > others[1]) == (reads[0] > reads[1])]++;
}

static struct share_counts *shares_of(struct window_counts *w, unsigned int which)
{
	return which == COUNT_READS ? &w->read_shares : &w->class_shares[class_count_table(which)];
}

static void count_share(struct share_counts *counts, const struct read_split *split, uint64_t reads)
{
	double even = (double)split->reads * (double)split->busier_ios / (double)split->ios;
	unsigned int row = read_split_row(split);

	counts->columns[row][read_split_column(split, reads)]++;
	chance_sums_add(&counts->sums[row], (double)reads - even,
			random_share_variance(split->ios, split->reads, split->busier_ios));
}

/*
 * A row that looks random is left out, unless a smaller one of the same share of reads would be
 * taken in its place.
 */
static void fill_shares(const struct share_counts *counts,
			uint32_t shares[PROFILE_SHARE_ROWS][PROFILE_SHARE_COLUMNS])
{
	bool kept[PROFILE_SHARE_SHARES] = {false};

	for (unsigned int row = 0; row < PROFILE_SHARE_ROWS; row++) {
		kept[row % PROFILE_SHARE_SHARES] |= !looks_random(&counts->sums[row]);
		if (kept[row % PROFILE_SHARE_SHARES])
			digits_from_counts(counts->columns[row], PROFILE_SHARE_COLUMNS,
					   shares[row]);
	}
}

/* Both halves have IOs; otherwise the numbers leave no choice. */
static void count_shares(struct window_counts *w, const struct interval *left,
			 const struct interval *right, unsigned int first_count)
{
	uint64_t left_of, right_of, only;

	for (unsigned int m = first_count; m < CLASS_COUNTS; m++) {
		uint64_t left_alone = class_count_alone(left->counts, left->ios, m, &left_of);
		uint64_t right_alone = class_count_alone(right->counts, right->ios, m, &right_of);
		struct read_split split = {
			.ios = left_of + right_of,
			.reads = left_alone + right_alone,
			.busier_ios = left_of >= right_of ? left_of : right_of,
		};

		if (split.reads && read_split_is_open(&split, &only))
			count_share(shares_of(w, m), &split,
				    left_of >= right_of ? left_alone : right_alone);
	}
}

static struct interval interval_at(const struct window_counts *w, uint64_t index)
{
	struct interval interval = {.ios = w->trees[KIND_ALL][index]};

	interval.counts[COUNT_READS] = w->trees[KIND_READS][index];
	for (unsigned int i = 0; i < PROFILE_SIZE_CLASSES; i++)
		interval.counts[COUNT_ABOVE + i] = w->size_classes[index][i];
	return interval;
}

static void add_to(struct interval *sum, const struct interval *more)
{
	sum->ios += more->ios;
	add_counts(sum->counts, more->counts, CLASS_COUNTS);
}

/* Counts the windows of a phase, split as class_counts_of_windows() does; returns their sums. */
static struct interval count_windows(struct window_counts *w, uint32_t from, uint32_t to)
{
	uint32_t middle = from + (to - from) / 2;
	struct interval left, right;

	if (to - from < 2)
		return from < to ? w->windows[from] : (struct interval){0};
	left = count_windows(w, from, middle);
	right = count_windows(w, middle, to);
	if (left.ios && right.ios)
		count_shares(w, &left, &right, COUNT_ABOVE);
	add_to(&left, &right);
	return left;
}

/* Sums up the halves of an interval and counts how they share. */
static void split(struct window_counts *w, uint32_t level, uint64_t index)
{
	uint64_t first = 2 * index, second = first + 1;
	const uint32_t *all = w->trees[KIND_ALL];
	uint32_t more = all[first] > all[second] ? all[first] : all[second];

	for (unsigned int k = 0; k < KINDS; k++)
		w->trees[k][index] = w->trees[k][first] + w->trees[k][second];
	for (unsigned int i = 0; i < PROFILE_SIZE_CLASSES; i++)
		w->size_classes[index][i] = w->size_classes[first][i] + w->size_classes[second][i];
	w->peak_cap[level] = larger_of(more, w->peak_cap[level]);
	if (all[first] && all[second]) {
		struct interval left = interval_at(w, first), right = interval_at(w, second);

		count_shares(w, &left, &right, COUNT_READS);
	}
	count_apart(w, index);
}

/* The sums around the busiest interval of a window, from the window down to the bin. */
static void find_burst(const struct window_counts *w, struct profile_pinned_burst *burst)
{
	uint32_t level = w->bursts.level, best = 0, levels = w->split_levels;
	uint32_t around = burst_neighbourhood_level(levels);
	const uint32_t *parts = filled_parts_of(&w->filled, level), *all = w->trees[KIND_ALL];

	for (uint32_t i = 0; i < w->filled.counts[level]; i++)
		if (!best || all[parts[i]] > all[best])
			best = parts[i];
	for (; level < levels; level++) {
		best *= 2;
		best += all[best + 1] > all[best];
	}
	burst->bin = best - (1u << levels);
	for (level = 1; level <= levels; level++) {
		burst->ios[level - 1] = all[best >> (levels - level)];
		burst->reads[level - 1] = w->trees[KIND_READS][best >> (levels - level)];
	}
	for (unsigned int m = 0; m < PROFILE_SIZE_CLASSES; m++)
		burst->size_classes[m] = w->size_classes[best >> (levels - around)][m];
}

static void clear(struct window_counts *w)
{
	for (uint32_t level = 0; level <= w->split_levels; level++) {
		const uint32_t *parts = filled_parts_of(&w->filled, level);

		for (uint32_t i = 0; i < w->filled.counts[level]; i++) {
			for (unsigned int k = 0; k < KINDS; k++)
				w->trees[k][parts[i]] = 0;
			memset(w->size_classes[parts[i]], 0, sizeof(w->size_classes[0]));
		}
	}
	filled_parts_clear(&w->filled);
}

static void keep_coarse(struct window_counts *w, uint32_t window)
{
	uint32_t level = w->coarse.level;
	const uint32_t *parts = filled_parts_of(&w->filled, level);
	uint64_t first = coarse_counts_index(&w->coarse, window);

	for (uint32_t i = 0; i < w->filled.counts[level]; i++) {
		uint64_t at = first + parts[i] - (1ull << level);

		w->coarse.all[at] += w->trees[KIND_ALL][parts[i]];
		w->coarse.reads[at] += w->trees[KIND_READS][parts[i]];
	}
}

void window_counts__close(struct window_counts *w, uint32_t window)
{
	struct profile_pinned_burst burst = {.window = window};
	struct interval whole;

	filled_parts_climb(&w->filled);
	for (uint32_t level = w->split_levels; level--;) {
		const uint32_t *parts = filled_parts_of(&w->filled, level);

		for (uint32_t i = w->filled.counts[level]; i--;)
			split(w, level, parts[i]);
	}
	whole = interval_at(w, 1);
	add_to(&w->windows[window], &whole);
	if (whole.ios && w->bursts.level) {
		find_burst(w, &burst);
		pinned_bursts_offer(&w->bursts, &burst);
	}
	for (unsigned int k = 0; k < KINDS; k++) {
		/* Nothing comes right before a window after empty ones. */
		if (window != w->next_window)
			memset(w->splits[k].before, 0, sizeof(w->splits[k].before));
		split_counts_add(&w->splits[k], w->trees[k], &w->filled, w->coarse.level,
				 w->split_levels, &w->halves[k]);
	}
	w->next_window = window + 1;
	keep_coarse(w, window);
	clear(w);
}

/* What the period says of each interval of a window. */
static void find_halves(struct window_counts *w, const struct period *period, uint32_t window,
			struct window_halves *halves)
{
	uint64_t begin_ns = part_begin(w->duration_ns, window, w->grid.windows);
	uint64_t length_ns = part_begin(w->duration_ns, window + 1ull, w->grid.windows) - begin_ns;

	halves->levels = period->levels;
	for (uint32_t level = 0; level < halves->levels; level++)
		for (uint64_t i = 0; i < 1ull << level; i++)
			halves->halves[(1ull << level) + i] = period_halves(
				period, window, begin_ns + part_begin(length_ns, i, 1ull << level),
				begin_ns + part_begin(length_ns, 2 * i + 1, 2ull << level),
				begin_ns + part_begin(length_ns, i + 1, 1ull << level));
}

/* Fills the trees again, down to the coarse parts. */
static void restore_coarse(struct window_counts *w, uint32_t window)
{
	uint32_t level = w->coarse.level;
	uint64_t first = coarse_counts_index(&w->coarse, window);

	for (uint64_t i = 0; i < 1ull << level; i++) {
		uint64_t at = (1ull << level) + i;

		if (!w->coarse.all[first + i])
			continue;
		filled_parts_note(&w->filled, i);
		w->trees[KIND_ALL][at] = w->coarse.all[first + i];
		w->trees[KIND_READS][at] = w->coarse.reads[first + i];
		w->trees[KIND_OTHERS][at] = w->trees[KIND_ALL][at] - w->trees[KIND_READS][at];
	}
	filled_parts_climb(&w->filled);
	while (level--)
		for (uint32_t i = 0; i < w->filled.counts[level]; i++) {
			uint64_t at = filled_parts_of(&w->filled, level)[i];

			for (unsigned int k = 0; k < KINDS; k++)
				w->trees[k][at] = w->trees[k][2 * at] + w->trees[k][2 * at + 1];
		}
}

/* The splits above the coarse parts, of what the period leaves. */
static int count_coarse(struct window_counts *w, const struct period periods[KINDS])
{
	uint32_t split_levels = w->split_levels;

	for (unsigned int k = 0; k < KINDS; k++) {
		w->halves[k].halves =
			calloc(2ull << periods[k].levels, sizeof(*w->halves[k].halves));
		if (!w->halves[k].halves)
			return -ENOMEM;
	}
	w->split_levels = w->filled.split_levels = w->coarse.level;
	for (uint32_t window = 0; window < w->grid.windows; window++) {
		restore_coarse(w, window);
		for (unsigned int k = 0; k < KINDS; k++) {
			find_halves(w, &periods[k], window, &w->halves[k]);
			split_counts_add(&w->splits[k], w->trees[k], &w->filled, 0, w->coarse.level,
					 &w->halves[k]);
		}
		clear(w);
	}
	w->split_levels = w->filled.split_levels = split_levels;
	return 0;
}

/* Takes back the splits around a burst. */
static void forget_burst(struct window_counts *w, const struct period periods[KINDS],
			 const struct profile_pinned_burst *burst)
{
	const struct interval *window = &w->windows[burst->window];
	uint64_t reads = window->counts[COUNT_READS], others[PROFILE_SPLIT_LEVELS_MAX];
	const uint64_t wholes[KINDS] = {[KIND_OTHERS] = window->ios - reads,
					[KIND_READS] = reads,
					[KIND_ALL] = window->ios};
	const uint64_t *const ios[KINDS] = {
		[KIND_OTHERS] = others, [KIND_READS] = burst->reads, [KIND_ALL] = burst->ios};

	for (uint32_t i = 0; i < w->split_levels; i++)
		others[i] = burst->ios[i] - burst->reads[i];
	for (unsigned int k = 0; k < KINDS; k++) {
		find_halves(w, &periods[k], burst->window, &w->halves[k]);
		split_counts_forget(&w->splits[k], w->split_levels, wholes[k], ios[k], burst->bin,
				    &w->halves[k]);
	}
}

/* Pinned bursts are not drawn: the tables are of all other intervals. */
static void settle_bursts(struct window_counts *w, const struct period periods[KINDS], uint64_t ios)
{
	if (!w->bursts.level)
		return;
	pinned_bursts_choose(&w->bursts,
			     (double)ios / (double)((uint64_t)w->grid.windows << w->bursts.level));
	for (uint32_t i = 0; i < w->bursts.count; i++)
		forget_burst(w, periods, &w->bursts.bursts[i]);
}

static void fill_kinds(const struct window_counts *w, struct profile_arrival *arrival)
{
	arrival->kinds_known = true;
	for (unsigned int k = 0; k < 2; k++)
		split_counts_finish(&w->splits[k], arrival->split_levels, &arrival->splits[k]);
	for (unsigned int g = 0; NEIGHBOUR_LEVELS * g < arrival->split_levels; g++) {
		uint64_t all = w->correlated[g][0] + w->correlated[g][1];

		arrival->correlation_permille[g] =
			(uint32_t)((w->correlated[g][1] + 1) * 1000 / (all + 2));
	}
}

/* Only if there are both; otherwise the streams say what every IO is. */
static void fill_reads(const struct window_counts *w, const struct interval *whole,
		       struct profile_arrival *arrival)
{
	uint64_t reads = whole->counts[COUNT_READS];

	arrival->reads_known = reads && reads < whole->ios;
	if (!arrival->reads_known)
		return;
	for (uint32_t i = 0; i < arrival->window_count; i++)
		arrival->reads[i] = w->windows[i].counts[COUNT_READS];
	if (arrival->split_levels && whole->ios >= KINDS_IOS_MIN &&
	    w->apart >= ALONE_LEAST * w->apart_alone && w->apart <= ALONE_MOST * w->apart_alone)
		fill_kinds(w, arrival);
	else
		fill_shares(&w->read_shares, arrival->read_shares);
}

/* Counts the phases, and returns their sum. */
static struct interval count_phases(struct window_counts *w)
{
	uint32_t windows = w->grid.windows, from = 0, to;
	struct interval whole = {0};

	for (uint32_t phase = 0; phase < w->grid.phases; phase++, from = to) {
		struct interval sum;

		for (to = from; to < windows && part_begin(w->grid.phases, to, windows) == phase;)
			to++;
		sum = count_windows(w, from, to);
		add_to(&whole, &sum);
	}
	return whole;
}

static void fill_classes(const struct window_counts *w, struct profile_arrival *arrival)
{
	for (unsigned int table = 0; table < PROFILE_SIZE_CLASSES / 2; table++)
		fill_shares(&w->class_shares[table], arrival->class_shares[table]);
	for (unsigned int m = 0; m < PROFILE_SIZE_CLASSES; m++) {
		struct profile_size_class *model = &arrival->size_classes[m];

		model->above_bytes = w->above_bytes[m];
		for (uint32_t i = 0; i < w->grid.windows; i++)
			model->phases[part_begin(w->grid.phases, i, w->grid.windows)] +=
				w->windows[i].counts[COUNT_ABOVE + m];
	}
}

/* Either reads and others have shapes of their own, or all have one. */
static void drop_shapes(struct profile_arrival *arrival)
{
	bool any = false;

	for (enum io_kind k = 0; k < KINDS; k++) {
		uint32_t *shape = arrival->splits[k].period_shape;

		if ((k == KIND_ALL) == arrival->kinds_known)
			memset(shape, 0, sizeof(arrival->splits[k].period_shape));
		any |= sum_of_weights(shape, PROFILE_PERIOD_PARTS) > 0;
	}
	if (!any)
		arrival->period_ns = 0;
}

/* Finds the period, if one is wanted, and counts what waited for it. */
static int settle_period(struct window_counts *w, bool with_period, struct period periods[KINDS],
			 struct profile_arrival *arrival)
{
	int err = with_period ? period_search(&w->coarse, w->duration_ns, w->grid.phases, arrival)
			      : 0;

	for (unsigned int k = 0; k < KINDS; k++)
		period_init(&periods[k], arrival, &arrival->splits[k], w->duration_ns,
			    w->grid.phases);
	return err ? err : count_coarse(w, periods);
}

int window_counts__finish(struct window_counts *w, bool with_period,
			  struct profile_arrival *arrival)
{
	struct interval whole = count_phases(w);
	struct period periods[KINDS];
	int err;

	arrival->window_count = w->grid.windows;
	arrival->split_levels = w->split_levels;
	err = settle_period(w, with_period, periods, arrival);
	if (err)
		return err;
	settle_bursts(w, periods, whole.ios);
	for (uint32_t i = 0; i < w->grid.windows; i++)
		arrival->windows[i] = w->windows[i].ios;
	fill_reads(w, &whole, arrival);
	fill_classes(w, arrival);
	if (!arrival->kinds_known)
		split_counts_finish(&w->splits[KIND_ALL], w->split_levels,
				    &arrival->splits[KIND_ALL]);
	drop_shapes(arrival);
	memcpy(arrival->peak_cap, w->peak_cap, sizeof(w->peak_cap));
	arrival->pinned_burst_count = w->bursts.count;
	memcpy(arrival->pinned_bursts, w->bursts.bursts, sizeof(w->bursts.bursts));
	for (uint32_t i = 0; i < arrival->pinned_burst_count; i++)
		arrival->pinned_bursts[i].sized = burst_classes_known(arrival);
	return 0;
}
