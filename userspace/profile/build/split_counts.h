/* SPDX-License-Identifier: MIT */
/* Counts how the IOs of intervals split, while a profile is built. */
#ifndef BLKREEL_PROFILE_BUILD_SPLIT_COUNTS_H
#define BLKREEL_PROFILE_BUILD_SPLIT_COUNTS_H

#include "profile/arrival/period.h"
#include "profile/profile.h"
#include "profile/random_share.h"

/*
 * Which intervals of a window have IOs. Mostly few do, the fewer the deeper the level, so counting
 * can skip the others. Intervals are numbered as in the trees: those of a level are 1 << level to 2
 * << level.
 */
struct filled_parts {
	uint32_t *parts; /* rising; those of a level from 1 << level on */
	uint32_t counts[PROFILE_SPLIT_LEVELS_MAX + 1];
	uint32_t split_levels;
};

int filled_parts_init(struct filled_parts *f, uint32_t split_levels); /* 0 or -ENOMEM */
void filled_parts_release(struct filled_parts *f);

static inline uint32_t *filled_parts_of(const struct filled_parts *f, uint32_t level)
{
	return f->parts + (1ull << level);
}

/* Notes the first IO in a bin of the window, by rising bins. */
static inline void filled_parts_note(struct filled_parts *f, uint64_t bin)
{
	filled_parts_of(f, f->split_levels)[f->counts[f->split_levels]++] =
		(uint32_t)((1ull << f->split_levels) + bin);
}

/* After all bins: finds the intervals above them. */
void filled_parts_climb(struct filled_parts *f);

/* Begins the next window. */
void filled_parts_clear(struct filled_parts *f);

struct split_counts {
	uint64_t distributions[PROFILE_SPLIT_GROUPS][PROFILE_SPLIT_ROWS][PROFILE_SPLIT_COLUMNS];
	/*
	 * Weights of splits where the half next to the busier neighbour got more, of all splits,
	 * and of the squares of all.
	 */
	struct neighbour_weights {
		int64_t towards, all;
		double squares;
	} neighbours[PROFILE_SPLIT_GROUPS][PROFILE_NEIGHBOUR_COLUMNS];
	struct chance_sums chance[PROFILE_SPLIT_LEVELS_MAX];
	uint32_t before[PROFILE_SPLIT_LEVELS_MAX + 1]; /* the last interval of the window before */
};

/* What the period says of the intervals of a window, numbered as in the trees. */
struct window_halves {
	uint32_t levels; /* 0: nothing */
	struct period_halves *halves;
};

/*
 * Adds levels [from, to) of a window; `tree` holds the IOs of 1 << level intervals from 1 << level
 * on.
 */
void split_counts_add(struct split_counts *c, const uint32_t *tree,
		      const struct filled_parts *filled, uint32_t from, uint32_t to,
		      const struct window_halves *halves);

/*
 * Takes back the splits around a burst in that bin, whose intervals hold `ios` after 1, 2 ...
 * splits of a window.
 */
void split_counts_forget(struct split_counts *c, uint32_t split_levels, uint64_t window_ios,
			 const uint64_t *ios, uint32_t bin, const struct window_halves *halves);

void split_counts_finish(const struct split_counts *c, uint32_t split_levels,
			 struct profile_splits *halves);

#endif
