/* SPDX-License-Identifier: MIT */
/* Counts how the IOs of intervals split, while a profile is built. */
#ifndef BLKREEL_PROFILE_BUILD_SPLIT_COUNTS_H
#define BLKREEL_PROFILE_BUILD_SPLIT_COUNTS_H

#include "profile/arrival/filled_parts.h"
#include "profile/profile.h"
#include "profile/random_share.h"

struct split_counts {
	bool by_level; /* of reads or others: a row for each level */
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

/* Adds a whole window; `tree` holds the IOs of 1 << level intervals from 1 << level on. */
void split_counts_add(struct split_counts *c, const uint32_t *tree,
		      const struct filled_parts *filled);

/*
 * Takes back the splits around a burst, whose intervals hold `ios` after 1, 2 ... splits of a
 * window.
 */
void split_counts_forget(struct split_counts *c, uint32_t split_levels, uint64_t window_ios,
			 const uint64_t *ios);

void split_counts_finish(const struct split_counts *c, uint32_t split_levels,
			 struct profile_splits *halves);

#endif
