// SPDX-License-Identifier: MIT
#include "profile/build/marks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/bins.h"
#include "profile/build/splits.h"
#include "profile/arrival/split.h"
#include "profile/arrival/leaf_sizes.h"
#include "profile/arrival/read_split.h"
#include "profile/weights.h"

/*
 * Reads and others fall each in their own way, unless few IOs tell, one comes where the other does not,
 * or both come together: squares of differences, of all by the sum of both.
 */
#define HALVES_IOS_MIN 4096
#define ALONE_LEAST    0.8
#define ALONE_MOST     1.25

struct mark_trees {
	uint32_t halvings;
	uint64_t above_bytes[PROFILE_LARGER];
	uint32_t *reads, *others;
	uint32_t (*larger)[PROFILE_LARGER]; /* those of a part are needed together */
	uint64_t windows[PROFILE_WINDOWS_MAX][BURST_MARKS];
	struct halves_counts halves[2]; /* others, reads */
	uint64_t together[PROFILE_TOGETHER_MAX][2];
	uint64_t read_shares[PROFILE_SHARE_ROWS][PROFILE_SHARE_BINS];
	uint64_t larger_shares[PROFILE_LARGER / 2][PROFILE_SHARE_ROWS][PROFILE_SHARE_BINS];
	struct leaf_most most;
	double apart,
		apart_alone; /* squares of differences of halves: of all, of reads and others */
};

void mark_trees__free(struct mark_trees *t)
{
	if (!t)
		return;
	free(t->reads);
	free(t->others);
	free(t->larger);
	free(t);
}

int mark_trees__create(uint32_t halvings, const uint64_t above_bytes[PROFILE_LARGER],
		       struct mark_trees **trees)
{
	struct mark_trees *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->halvings = halvings;
	t->halves[KIND_OTHERS].by_level = t->halves[KIND_READS].by_level = true;
	memcpy(t->above_bytes, above_bytes, sizeof(t->above_bytes));
	t->reads = calloc(2ull << halvings, sizeof(*t->reads));
	t->others = calloc(2ull << halvings, sizeof(*t->others));
	t->larger = calloc(2ull << halvings, sizeof(*t->larger));
	if (!t->reads || !t->others || !t->larger) {
		mark_trees__free(t);
		return -ENOMEM;
	}
	*trees = t;
	return 0;
}

void mark_trees__set_halvings(struct mark_trees *t, uint32_t halvings)
{
	t->halvings = halvings;
}

void mark_trees__add(struct mark_trees *t, uint64_t leaf, bool is_read, unsigned int class)
{
	uint64_t at = (1ull << t->halvings) + leaf;
	unsigned int first = is_read ? 0 : PROFILE_LARGER / 2;

	t->reads[at] += is_read;
	t->others[at] += !is_read;
	for (unsigned int i = 0; i < class; i++)
		t->larger[at][first + i] += t->above_bytes[first + i] > 0;
}

/* The marks of a part. */
static void marks_at(const struct mark_trees *t, uint64_t index, uint64_t marks[BURST_MARKS])
{
	marks[MARK_READS] = t->reads[index];
	for (unsigned int i = 0; i < PROFILE_LARGER; i++)
		marks[MARK_LARGER + i] = t->larger[index][i];
}

static double square(double value)
{
	return value * value;
}

/* How far the halves are apart, and whether the half with more others has more reads. */
static void count_apart(struct mark_trees *t, uint64_t index)
{
	const uint32_t *reads = &t->reads[2 * index], *others = &t->others[2 * index];
	double apart_reads = (double)reads[0] - (double)reads[1];
	double apart_others = (double)others[0] - (double)others[1];
	double ios = (double)t->reads[index] + (double)t->others[index];

	t->apart_alone += (square(apart_others) + square(apart_reads)) / ios;
	t->apart += square(apart_others + apart_reads) / ios;
	if (others[0] != others[1] && reads[0] != reads[1])
		t->together[(bits_of(index) - 1) / lean_halvings(true)]
			   [(others[0] > others[1]) == (reads[0] > reads[1])]++;
}

static uint64_t (*shares_of(struct mark_trees *t, unsigned int mark))[PROFILE_SHARE_BINS]
{
	return mark == MARK_READS ? t->read_shares : t->larger_shares[burst_mark_table(mark)];
}

struct half {
	uint64_t ios, marks[BURST_MARKS];
};

/* Both halves have IOs: else the numbers leave no choice. */
static void count_shares(struct mark_trees *t, const struct half *left, const struct half *right,
			 unsigned int first_mark)
{
	uint64_t left_of, right_of, only;

	for (unsigned int m = first_mark; m < BURST_MARKS; m++) {
		uint64_t left_alone = burst_mark_alone(left->marks, left->ios, m, &left_of);
		uint64_t right_alone = burst_mark_alone(right->marks, right->ios, m, &right_of);
		struct read_split split = {
			.ios = left_of + right_of,
			.reads = left_alone + right_alone,
			.busier_ios = left_of >= right_of ? left_of : right_of,
		};

		if (split.reads && read_split_is_open(&split, &only))
			shares_of(t, m)[read_split_row(&split)][read_split_bin(
				&split, left_of >= right_of ? left_alone : right_alone)]++;
	}
}

static struct half half_at(const struct mark_trees *t, uint64_t index)
{
	struct half half = {.ios = (uint64_t)t->reads[index] + t->others[index]};

	marks_at(t, index, half.marks);
	return half;
}

static void count_parts(struct mark_trees *t, uint64_t index)
{
	struct half left = half_at(t, 2 * index), right = half_at(t, 2 * index + 1);

	if (left.ios && right.ios)
		count_shares(t, &left, &right, MARK_READS);
}

/* Windows of a phase, divided as burst_marks_of_windows() does it; what they hold in sum. */
static struct half count_windows(struct mark_trees *t, const struct profile_arrival *arrival,
				 uint32_t from, uint32_t to)
{
	uint32_t middle = from + (to - from) / 2;
	struct half left = {0}, right;

	if (to - from < 2) {
		if (from < to) {
			left.ios = arrival->windows[from];
			memcpy(left.marks, t->windows[from], sizeof(left.marks));
		}
		return left;
	}
	left = count_windows(t, arrival, from, middle);
	right = count_windows(t, arrival, middle, to);
	if (left.ios && right.ios)
		count_shares(t, &left, &right, MARK_LARGER);
	left.ios += right.ios;
	for (unsigned int m = 0; m < BURST_MARKS; m++)
		left.marks[m] += right.marks[m];
	return left;
}

static void halve(struct mark_trees *t, uint64_t index)
{
	t->reads[index] = t->reads[2 * index] + t->reads[2 * index + 1];
	t->others[index] = t->others[2 * index] + t->others[2 * index + 1];
	for (unsigned int i = 0; i < PROFILE_LARGER; i++)
		t->larger[index][i] = t->larger[2 * index][i] + t->larger[2 * index + 1][i];
	count_parts(t, index);
	count_apart(t, index);
}

static void note_leaves(struct mark_trees *t, const struct filled_parts *filled)
{
	const uint32_t *leaves = filled_parts_of(filled, t->halvings);

	for (uint32_t i = 0; i < filled->counts[t->halvings]; i++) {
		struct half leaf = half_at(t, leaves[i]);

		leaf_most_note(&t->most, leaf.marks, leaf.ios);
	}
}

void mark_trees__halve(struct mark_trees *t, const struct filled_parts *filled)
{
	note_leaves(t, filled);
	for (uint32_t level = t->halvings; level--;) {
		const uint32_t *parts = filled_parts_of(filled, level);

		for (uint32_t i = filled->counts[level]; i--;)
			halve(t, parts[i]);
	}
}

void mark_trees__note_burst(const struct mark_trees *t, struct profile_burst *burst)
{
	uint32_t crowd = burst_crowd_halvings(t->halvings);

	for (uint32_t level = 1; level <= t->halvings; level++)
		burst->reads[level - 1] =
			t->reads[(1ull << level) + (burst->leaf >> (t->halvings - level))];
	for (unsigned int m = 0; m < PROFILE_LARGER; m++)
		burst->larger[m] =
			t->larger[(1ull << crowd) + (burst->leaf >> (t->halvings - crowd))][m];
}

void mark_trees__close(struct mark_trees *t, uint32_t window, const struct filled_parts *filled)
{
	marks_at(t, 1, t->windows[window]);
	halves_counts_add(&t->halves[KIND_OTHERS], t->others, filled);
	halves_counts_add(&t->halves[KIND_READS], t->reads, filled);
	for (uint32_t level = 0; level <= t->halvings; level++) {
		const uint32_t *parts = filled_parts_of(filled, level);

		for (uint32_t i = 0; i < filled->counts[level]; i++) {
			t->reads[parts[i]] = t->others[parts[i]] = 0;
			memset(t->larger[parts[i]], 0, sizeof(t->larger[0]));
		}
	}
}

void mark_trees__forget_burst(struct mark_trees *t, const struct profile_burst *burst,
			      uint64_t window_ios)
{
	uint64_t reads = t->windows[burst->window][MARK_READS], others[PROFILE_HALVINGS_MAX];

	for (uint32_t i = 0; i < t->halvings; i++)
		others[i] = burst->ios[i] - burst->reads[i];
	halves_counts_forget(&t->halves[KIND_READS], t->halvings, reads, burst->reads);
	halves_counts_forget(&t->halves[KIND_OTHERS], t->halvings, window_ios - reads, others);
}

static void fill_halves(const struct mark_trees *t, struct profile_arrival *arrival)
{
	arrival->halves_known = true;
	for (unsigned int k = 0; k < 2; k++)
		halves_counts_finish(&t->halves[k], arrival->halvings, &arrival->halves[k]);
	for (unsigned int g = 0; lean_halvings(true) * g < arrival->halvings; g++) {
		uint64_t all = t->together[g][0] + t->together[g][1];

		arrival->together_permille[g] =
			(uint32_t)((t->together[g][1] + 1) * 1000 / (all + 2));
	}
}

/* Only where there are both: else every IO of a window is what the streams say. */
static void fill_reads(const struct mark_trees *t, struct profile_arrival *arrival)
{
	uint64_t ios = 0, reads = 0;

	for (uint32_t i = 0; i < arrival->window_count; i++) {
		ios += arrival->windows[i];
		reads += t->windows[i][MARK_READS];
	}
	if (!reads || reads == ios)
		return;
	arrival->reads_known = true;
	for (uint32_t i = 0; i < arrival->window_count; i++)
		arrival->reads[i] = t->windows[i][MARK_READS];
	if (arrival->halvings && ios >= HALVES_IOS_MIN &&
	    t->apart >= ALONE_LEAST * t->apart_alone && t->apart <= ALONE_MOST * t->apart_alone) {
		fill_halves(t, arrival);
		return;
	}
	for (unsigned int i = 0; i < PROFILE_SHARE_ROWS; i++)
		digits_from_counts(t->read_shares[i], PROFILE_SHARE_BINS, arrival->read_shares[i]);
}

static void count_phases(struct mark_trees *t, uint32_t phases,
			 const struct profile_arrival *arrival)
{
	uint32_t windows = arrival->window_count, from = 0, to;

	for (uint32_t phase = 0; phase < phases; phase++, from = to) {
		for (to = from; to < windows && part_begin(phases, to, windows) == phase;)
			to++;
		count_windows(t, arrival, from, to);
	}
}

void mark_trees__finish(struct mark_trees *t, uint32_t phases, struct profile_arrival *arrival)
{
	count_phases(t, phases, arrival);
	fill_reads(t, arrival);
	for (unsigned int table = 0; table < PROFILE_LARGER / 2; table++)
		for (unsigned int i = 0; i < PROFILE_SHARE_ROWS; i++)
			digits_from_counts(t->larger_shares[table][i], PROFILE_SHARE_BINS,
					   arrival->larger_shares[table][i]);
	for (unsigned int m = MARK_LARGER; m < BURST_MARKS; m++) {
		struct profile_larger *larger = &arrival->larger[m - MARK_LARGER];

		larger->above_bytes = t->above_bytes[m - MARK_LARGER];
		if (larger->above_bytes)
			leaf_most_fill(&t->most, m - MARK_LARGER, larger);
		for (uint32_t i = 0; i < arrival->window_count; i++)
			larger->phases[part_begin(phases, i, arrival->window_count)] +=
				t->windows[i][m];
	}
}
