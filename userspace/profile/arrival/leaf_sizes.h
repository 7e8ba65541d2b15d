/* SPDX-License-Identifier: MIT */
/*
 * How much of a leaf's IOs may be large: no more than of the trace's leaves with as many. What halving gives beyond
 * that comes in leaves that follow. docs/profile-format.md, "most_above".
 */
#ifndef BLKREEL_PROFILE_ARRIVAL_LEAF_SIZES_H
#define BLKREEL_PROFILE_ARRIVAL_LEAF_SIZES_H

#include "profile/arrival/burst_marks.h"

#define LEAF_ROW_IOS 8 /* of the first row, twice as many in each that follows */

/* By op, others first, and class of size: IOs that earlier leaves gave up. */
struct leaf_sizes {
	uint64_t owed[2][SIZE_CLASSES];
};

/* Row of most_permille for so many IOs; -1: any part of them may be large. */
int leaf_sizes_row(uint64_t ios);

/* What a leaf holds becomes what it may hold; the sum of each op stays. */
void leaf_sizes_settle(struct leaf_sizes *l, const struct profile_arrival *a, struct prng *random,
		       uint64_t classes[2][SIZE_CLASSES]);

/* What the leaves of a trace held; all 0 before the first. */
struct leaf_most {
	bool seen[PROFILE_LARGER][PROFILE_LEAF_ROWS];
	uint32_t permille[PROFILE_LARGER][PROFILE_LEAF_ROWS];
};

void leaf_most_note(struct leaf_most *most, const uint64_t marks[BURST_MARKS], uint64_t ios);

/* For one mark; rows without leaves are as the one below, or the first that has some. */
void leaf_most_fill(const struct leaf_most *most, unsigned int mark, struct profile_larger *larger);

#endif
