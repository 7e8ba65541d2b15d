// SPDX-License-Identifier: MIT
#include "profile/build/class_trees.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/classes.h"
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

/* How the members of a kind split: a table of the profile. */
struct share_counts {
	uint64_t columns[PROFILE_SHARE_ROWS][PROFILE_SHARE_COLUMNS];
	struct chance_sums sums[PROFILE_SHARE_ROWS];
};

struct class_trees {
	uint32_t split_levels;
	uint64_t above_bytes[PROFILE_SIZE_CLASSES];
	uint32_t *reads, *others;
	uint32_t (*size_classes)[PROFILE_SIZE_CLASSES]; /* of an interval, needed together */
	uint64_t windows[PROFILE_WINDOWS_MAX][CLASS_COUNTS];
	struct split_counts splits[2]; /* others, reads */
	uint64_t correlated[PROFILE_CORRELATIONS_MAX][2];
	struct share_counts read_shares, class_shares[PROFILE_SIZE_CLASSES / 2];
	double apart,
		apart_alone; /* squares of differences of halves: of all, of reads and others */
};

void class_trees__free(struct class_trees *t)
{
	if (!t)
		return;
	free(t->reads);
	free(t->others);
	free(t->size_classes);
	free(t);
}

int class_trees__create(uint32_t split_levels, const uint64_t above_bytes[PROFILE_SIZE_CLASSES],
			struct class_trees **trees)
{
	struct class_trees *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->split_levels = split_levels;
	t->splits[KIND_OTHERS].by_level = t->splits[KIND_READS].by_level = true;
	memcpy(t->above_bytes, above_bytes, sizeof(t->above_bytes));
	t->reads = calloc(2ull << split_levels, sizeof(*t->reads));
	t->others = calloc(2ull << split_levels, sizeof(*t->others));
	t->size_classes = calloc(2ull << split_levels, sizeof(*t->size_classes));
	if (!t->reads || !t->others || !t->size_classes) {
		class_trees__free(t);
		return -ENOMEM;
	}
	*trees = t;
	return 0;
}

void class_trees__set_split_levels(struct class_trees *t, uint32_t split_levels)
{
	t->split_levels = split_levels;
}

void class_trees__add(struct class_trees *t, uint64_t bin, bool is_read, unsigned int class)
{
	uint64_t at = (1ull << t->split_levels) + bin;
	unsigned int first = is_read ? 0 : PROFILE_SIZE_CLASSES / 2;

	t->reads[at] += is_read;
	t->others[at] += !is_read;
	for (unsigned int i = 0; i < class; i++)
		t->size_classes[at][first + i] += t->above_bytes[first + i] > 0;
}

/* The counts of an interval. */
static void counts_at(const struct class_trees *t, uint64_t index, uint64_t counts[CLASS_COUNTS])
{
	counts[COUNT_READS] = t->reads[index];
	for (unsigned int i = 0; i < PROFILE_SIZE_CLASSES; i++)
		counts[COUNT_ABOVE + i] = t->size_classes[index][i];
}

static double square(double value)
{
	return value * value;
}

/* Counts how different the halves are, and whether the half with more others has more reads. */
static void count_apart(struct class_trees *t, uint64_t index)
{
	const uint32_t *reads = &t->reads[2 * index], *others = &t->others[2 * index];
	double apart_reads = (double)reads[0] - (double)reads[1];
	double apart_others = (double)others[0] - (double)others[1];
	double ios = (double)t->reads[index] + (double)t->others[index];

	t->apart_alone += (square(apart_others) + square(apart_reads)) / ios;
	t->apart += square(apart_others + apart_reads) / ios;
	if (others[0] != others[1] && reads[0] != reads[1])
		t->correlated[(bits_of(index) - 1) / neighbour_levels(true)]
			     [(others[0] > others[1]) == (reads[0] > reads[1])]++;
}

static struct share_counts *shares_of(struct class_trees *t, unsigned int which)
{
	return which == COUNT_READS ? &t->read_shares : &t->class_shares[class_count_table(which)];
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

struct half {
	uint64_t ios, counts[CLASS_COUNTS];
};

/* Both halves have IOs; otherwise the numbers leave no choice. */
static void count_shares(struct class_trees *t, const struct half *left, const struct half *right,
			 unsigned int first_count)
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
			count_share(shares_of(t, m), &split,
				    left_of >= right_of ? left_alone : right_alone);
	}
}

static struct half half_at(const struct class_trees *t, uint64_t index)
{
	struct half half = {.ios = (uint64_t)t->reads[index] + t->others[index]};

	counts_at(t, index, half.counts);
	return half;
}

static void count_parts(struct class_trees *t, uint64_t index)
{
	struct half left = half_at(t, 2 * index), right = half_at(t, 2 * index + 1);

	if (left.ios && right.ios)
		count_shares(t, &left, &right, COUNT_READS);
}

/* Counts the windows of a phase, split as class_counts_of_windows() does; returns their sums. */
static struct half count_windows(struct class_trees *t, const struct profile_arrival *arrival,
				 uint32_t from, uint32_t to)
{
	uint32_t middle = from + (to - from) / 2;
	struct half left = {0}, right;

	if (to - from < 2) {
		if (from < to) {
			left.ios = arrival->windows[from];
			memcpy(left.counts, t->windows[from], sizeof(left.counts));
		}
		return left;
	}
	left = count_windows(t, arrival, from, middle);
	right = count_windows(t, arrival, middle, to);
	if (left.ios && right.ios)
		count_shares(t, &left, &right, COUNT_ABOVE);
	left.ios += right.ios;
	for (unsigned int m = 0; m < CLASS_COUNTS; m++)
		left.counts[m] += right.counts[m];
	return left;
}

static void split(struct class_trees *t, uint64_t index)
{
	t->reads[index] = t->reads[2 * index] + t->reads[2 * index + 1];
	t->others[index] = t->others[2 * index] + t->others[2 * index + 1];
	for (unsigned int i = 0; i < PROFILE_SIZE_CLASSES; i++)
		t->size_classes[index][i] =
			t->size_classes[2 * index][i] + t->size_classes[2 * index + 1][i];
	count_parts(t, index);
	count_apart(t, index);
}

void class_trees__split(struct class_trees *t, const struct filled_parts *filled)
{
	for (uint32_t level = t->split_levels; level--;) {
		const uint32_t *parts = filled_parts_of(filled, level);

		for (uint32_t i = filled->counts[level]; i--;)
			split(t, parts[i]);
	}
}

void class_trees__note_burst(const struct class_trees *t, struct profile_pinned_burst *burst)
{
	uint32_t around = burst_neighbourhood_level(t->split_levels);

	for (uint32_t level = 1; level <= t->split_levels; level++)
		burst->reads[level - 1] =
			t->reads[(1ull << level) + (burst->bin >> (t->split_levels - level))];
	for (unsigned int m = 0; m < PROFILE_SIZE_CLASSES; m++)
		burst->size_classes[m] =
			t->size_classes[(1ull << around) +
					(burst->bin >> (t->split_levels - around))][m];
}

void class_trees__close(struct class_trees *t, uint32_t window, const struct filled_parts *filled)
{
	counts_at(t, 1, t->windows[window]);
	split_counts_add(&t->splits[KIND_OTHERS], t->others, filled);
	split_counts_add(&t->splits[KIND_READS], t->reads, filled);
	for (uint32_t level = 0; level <= t->split_levels; level++) {
		const uint32_t *parts = filled_parts_of(filled, level);

		for (uint32_t i = 0; i < filled->counts[level]; i++) {
			t->reads[parts[i]] = t->others[parts[i]] = 0;
			memset(t->size_classes[parts[i]], 0, sizeof(t->size_classes[0]));
		}
	}
}

void class_trees__forget_burst(struct class_trees *t, const struct profile_pinned_burst *burst,
			       uint64_t window_ios)
{
	uint64_t reads = t->windows[burst->window][COUNT_READS], others[PROFILE_SPLIT_LEVELS_MAX];

	for (uint32_t i = 0; i < t->split_levels; i++)
		others[i] = burst->ios[i] - burst->reads[i];
	split_counts_forget(&t->splits[KIND_READS], t->split_levels, reads, burst->reads);
	split_counts_forget(&t->splits[KIND_OTHERS], t->split_levels, window_ios - reads, others);
}

static void fill_kinds(const struct class_trees *t, struct profile_arrival *arrival)
{
	arrival->kinds_known = true;
	for (unsigned int k = 0; k < 2; k++)
		split_counts_finish(&t->splits[k], arrival->split_levels, &arrival->splits[k]);
	for (unsigned int g = 0; neighbour_levels(true) * g < arrival->split_levels; g++) {
		uint64_t all = t->correlated[g][0] + t->correlated[g][1];

		arrival->correlation_permille[g] =
			(uint32_t)((t->correlated[g][1] + 1) * 1000 / (all + 2));
	}
}

/* Only if there are both; otherwise the streams say what every IO is. */
static void fill_reads(const struct class_trees *t, struct profile_arrival *arrival)
{
	uint64_t ios = 0, reads = 0;

	for (uint32_t i = 0; i < arrival->window_count; i++) {
		ios += arrival->windows[i];
		reads += t->windows[i][COUNT_READS];
	}
	if (!reads || reads == ios)
		return;
	arrival->reads_known = true;
	for (uint32_t i = 0; i < arrival->window_count; i++)
		arrival->reads[i] = t->windows[i][COUNT_READS];
	if (arrival->split_levels && ios >= KINDS_IOS_MIN &&
	    t->apart >= ALONE_LEAST * t->apart_alone && t->apart <= ALONE_MOST * t->apart_alone) {
		fill_kinds(t, arrival);
		return;
	}
	fill_shares(&t->read_shares, arrival->read_shares);
}

static void count_phases(struct class_trees *t, uint32_t phases,
			 const struct profile_arrival *arrival)
{
	uint32_t windows = arrival->window_count, from = 0, to;

	for (uint32_t phase = 0; phase < phases; phase++, from = to) {
		for (to = from; to < windows && part_begin(phases, to, windows) == phase;)
			to++;
		count_windows(t, arrival, from, to);
	}
}

void class_trees__finish(struct class_trees *t, uint32_t phases, struct profile_arrival *arrival)
{
	count_phases(t, phases, arrival);
	fill_reads(t, arrival);
	for (unsigned int table = 0; table < PROFILE_SIZE_CLASSES / 2; table++)
		fill_shares(&t->class_shares[table], arrival->class_shares[table]);
	for (unsigned int m = COUNT_ABOVE; m < CLASS_COUNTS; m++) {
		struct profile_size_class *model = &arrival->size_classes[m - COUNT_ABOVE];

		model->above_bytes = t->above_bytes[m - COUNT_ABOVE];
		for (uint32_t i = 0; i < arrival->window_count; i++)
			model->phases[part_begin(phases, i, arrival->window_count)] +=
				t->windows[i][m];
	}
}
