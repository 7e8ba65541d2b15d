/* SPDX-License-Identifier: MIT */
/* Counts how the IOs of intervals fall into their halves, while a profile is built. */
#ifndef BLKREEL_PROFILE_BUILD_SPLITS_H
#define BLKREEL_PROFILE_BUILD_SPLITS_H

#include "profile/arrival/filled_parts.h"
#include "profile/profile.h"

struct halves_counts {
	bool by_level; /* of reads or others: rows for each halving */
	uint64_t splits[PROFILE_SPLIT_GROUPS][PROFILE_SPLIT_CLASSES][PROFILE_SPLIT_BINS];
	/* Sums of what says that the half next to the busier neighbour got more, of that and what says
	 * the contrary, and of the squares of both. */
	struct lean_weights {
		int64_t towards, all;
		double squares;
	} leans[PROFILE_SPLIT_GROUPS][PROFILE_LEAN_BINS];
	uint32_t before[PROFILE_HALVINGS_MAX + 1]; /* the last part of the window before */
};

/* A whole window; `tree` holds the IOs of 1 << level parts from 1 << level on. */
void halves_counts_add(struct halves_counts *c, const uint32_t *tree,
		       const struct filled_parts *filled);

/* Takes back how the intervals around a burst fell, which hold `ios` after 1, 2 ... halvings of a window. */
void halves_counts_forget(struct halves_counts *c, uint32_t halvings, uint64_t window_ios,
			  const uint64_t *ios);

void halves_counts_finish(const struct halves_counts *c, uint32_t halvings,
			  struct profile_halves *halves);

#endif
