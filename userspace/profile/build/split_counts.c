// SPDX-License-Identifier: MIT
#include "profile/build/split_counts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/classes.h"
#include "profile/weights.h"

#define LEVEL_ROWS_MAX 60	  /* of a kind */
#define DIFFERENCE_MAX (1u << 16) /* so that sums of products stay far below 64 bits */

int filled_parts_init(struct filled_parts *f, uint32_t split_levels)
{
	*f = (struct filled_parts){.split_levels = split_levels};
	f->parts = calloc(2ull << split_levels, sizeof(*f->parts));
	return f->parts ? 0 : -ENOMEM;
}

void filled_parts_release(struct filled_parts *f)
{
	free(f->parts);
	f->parts = NULL;
}

void filled_parts_climb(struct filled_parts *f)
{
	for (uint32_t level = f->split_levels; level--;) {
		const uint32_t *below = filled_parts_of(f, level + 1);
		uint32_t *parts = filled_parts_of(f, level), count = 0, last = 0;

		for (uint32_t i = 0; i < f->counts[level + 1]; i++) {
			uint32_t part = below[i] / 2;

			count += part != last;
			parts[count - 1] = last = part;
		}
		f->counts[level] = count;
	}
}

void filled_parts_clear(struct filled_parts *f)
{
	memset(f->counts, 0, sizeof(f->counts));
}

/*
 * IOs of the interval after interval `index` of a level, as far as known when splitting goes from
 * left to right: of the nearest larger one, *shift levels above. Past the end it is the window.
 */
static uint64_t right_of(const uint32_t *tree, uint32_t level, uint64_t index, unsigned int *shift)
{
	*shift = (unsigned int)__builtin_ctzll(~index);
	return *shift < level ? tree[(1ull << (level - *shift)) + (index >> *shift) + 1] : tree[1];
}

static inline uint32_t difference_part(uint64_t apart)
{
	return apart < DIFFERENCE_MAX ? (uint32_t)apart : DIFFERENCE_MAX;
}

/*
 * Counts whether the half next to the busier neighbour got more, weighed by how different the
 * halves are and the neighbours: so bursts across a seam are kept together. Single IOs are most of
 * what there is, but add next to nothing to the variance of intervals that begin elsewhere.
 */
static inline void count_neighbour(struct split_counts *c, const uint32_t *tree, uint32_t level,
				   uint64_t index, const uint64_t halves[2])
{
	uint64_t n = halves[0] + halves[1], after, apart, own;
	uint64_t before = index ? tree[(2ull << level) + 2 * index - 1] : c->before[level + 1];
	struct neighbour_weights *neighbour;
	int64_t weight;
	unsigned int shift;

	if (halves[0] == halves[1])
		return;
	after = right_of(tree, level, index, &shift);
	before <<= shift + 1;
	if (before == after)
		return;
	apart = before > after ? before - after : after - before;
	own = halves[0] > halves[1] ? halves[0] - halves[1] : halves[1] - halves[0];
	neighbour = &c->neighbours[level / NEIGHBOUR_LEVELS]
				  [neighbour_column(apart, n << shift, own, n)];
	/* Below 2^33, and signed: the way from that to a double is the short one. */
	weight = (int64_t)difference_part(own) * (difference_part(apart >> shift) + 1);
	neighbour->all += weight;
	neighbour->towards += (halves[0] > halves[1]) == (before > after) ? weight : 0;
	neighbour->squares += (double)weight * (double)weight;
}

/* The count of a split of so many IOs. */
static inline uint64_t *split_cell(struct split_counts *c, uint32_t level, uint64_t left,
				   uint64_t right)
{
	uint64_t n = left + right, more = left > right ? left : right;

	return &c->distributions[level][split_row(n)][split_column(2 * more - n, n)];
}

static void add_level(struct split_counts *c, const uint32_t *tree,
		      const struct filled_parts *filled, uint32_t level,
		      const struct window_halves *period)
{
	const uint32_t *parts = filled_parts_of(filled, level);

	for (uint32_t i = 0; i < filled->counts[level]; i++) {
		uint64_t at = parts[i], halves[2] = {tree[2 * at], tree[2 * at + 1]};

		if (tree[at] < 2)
			continue;
		if (level < period->levels) {
			halves[0] = period_flatten(period->halves[at], halves[0], halves[1]);
			halves[1] = tree[at] - halves[0];
		}
		++*split_cell(c, level, halves[0], halves[1]);
		chance_sums_add(&c->chance[level], (double)halves[0] - (double)halves[1], tree[at]);
		count_neighbour(c, tree, level, at - (1ull << level), halves);
	}
}

void split_counts_add(struct split_counts *c, const uint32_t *tree,
		      const struct filled_parts *filled, uint32_t from, uint32_t to,
		      const struct window_halves *halves)
{
	for (uint32_t level = from; level < to && tree[1]; level++)
		add_level(c, tree, filled, level, halves);
	for (uint32_t level = from; level < to; level++)
		c->before[level + 1] = tree[(4ull << level) - 1];
}

void split_counts_forget(struct split_counts *c, uint32_t split_levels, uint64_t window_ios,
			 const uint64_t *ios, uint32_t bin, const struct window_halves *halves)
{
	for (uint32_t level = 0; level < split_levels && window_ios > 1; level++) {
		uint64_t at = ((1ull << split_levels) + bin) >> (split_levels - level);
		uint64_t left = ios[level];

		if (bin >> (split_levels - level - 1) & 1)
			left = window_ios - left;
		if (level < halves->levels)
			left = period_flatten(halves->halves[at], left, window_ios - left);
		--*split_cell(c, level, left, window_ios - left);
		window_ios = ios[level];
	}
}

/* Without a table the halves are random. */
static bool all_random(const struct split_counts *c, uint32_t split_levels)
{
	for (uint32_t level = 0; level < split_levels; level++)
		if (!looks_random(&c->chance[level]))
			return false;
	return true;
}

/* Levels that follow each other and share a row for so many IOs. */
struct run {
	uint64_t counts[PROFILE_SPLIT_COLUMNS], sum;
	unsigned int row, first;
};

/* Loss when two rows are merged: it grows with their difference and their IOs. */
static double loss(const struct run *a, const struct run *b)
{
	double apart = 0, left = (double)a->sum, right = (double)b->sum;
	double ios = (double)(1ull << a->row);

	for (unsigned int i = 0; i < PROFILE_SPLIT_COLUMNS; i++)
		apart += fabs((double)a->counts[i] / left - (double)b->counts[i] / right) / 2;
	return apart * apart * left * right / (left + right) * sqrt(ios * sqrt(ios));
}

static unsigned int fill_runs(const struct split_counts *c, uint32_t split_levels, struct run *runs)
{
	unsigned int count = 0;

	for (unsigned int row = 0; row < PROFILE_SPLIT_ROWS; row++)
		for (uint32_t level = 0; level < split_levels; level++) {
			struct run *run = &runs[count];

			*run = (struct run){.row = row, .first = level};
			for (unsigned int i = 0; i < PROFILE_SPLIT_COLUMNS; i++)
				run->sum += run->counts[i] = c->distributions[level][row][i];
			count += run->sum > 0;
		}
	return count;
}

/* Merges the two neighbours with the least loss; false: there are none. */
static bool merge_runs(struct run *runs, unsigned int *count)
{
	double least = HUGE_VAL;
	unsigned int best = 0;

	for (unsigned int i = 0; i + 1 < *count; i++) {
		double lost =
			runs[i].row == runs[i + 1].row ? loss(&runs[i], &runs[i + 1]) : HUGE_VAL;

		if (lost < least) {
			least = lost;
			best = i;
		}
	}
	if (least == HUGE_VAL)
		return false;
	for (unsigned int i = 0; i < PROFILE_SPLIT_COLUMNS; i++)
		runs[best].counts[i] += runs[best + 1].counts[i];
	runs[best].sum += runs[best + 1].sum;
	memmove(&runs[best + 1], &runs[best + 2], (--*count - best - 1) * sizeof(*runs));
	return true;
}

static void fill_rows(const struct split_counts *c, uint32_t split_levels,
		      struct profile_splits *splits)
{
	struct run runs[PROFILE_SPLIT_LEVELS_MAX * PROFILE_SPLIT_ROWS + 1];
	unsigned int count = fill_runs(c, split_levels, runs);

	while (count > LEVEL_ROWS_MAX && merge_runs(runs, &count))
		;
	for (unsigned int i = 0; i < count; i++)
		digits_from_counts(runs[i].counts, PROFILE_SPLIT_COLUMNS,
				   splits->distributions[runs[i].first][runs[i].row]);
}

/* A few say nothing: one more of either side is added, as heavy as the mean. */
static uint32_t permille_towards(const struct neighbour_weights *neighbour)
{
	int64_t more = neighbour->all ? (int64_t)(neighbour->squares / (double)neighbour->all) : 1;

	return (uint32_t)part_begin(1000, (uint64_t)(neighbour->towards + more),
				    (uint64_t)(neighbour->all + 2 * more));
}

static void fill_neighbours(const struct split_counts *c, uint32_t split_levels,
			    struct profile_splits *splits)
{
	for (unsigned int g = 0; NEIGHBOUR_LEVELS * g < split_levels; g++)
		for (unsigned int i = 0; i < PROFILE_NEIGHBOUR_COLUMNS; i++)
			splits->neighbour_permille[g][i] = permille_towards(&c->neighbours[g][i]);
}

void split_counts_finish(const struct split_counts *c, uint32_t split_levels,
			 struct profile_splits *splits)
{
	if (all_random(c, split_levels))
		return;
	fill_neighbours(c, split_levels, splits);
	fill_rows(c, split_levels, splits);
}
