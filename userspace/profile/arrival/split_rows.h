/* SPDX-License-Identifier: MIT */
/*
 * Split distributions: how the IOs of an interval fall into its halves. docs/profile-format.md,
 * "split".
 */
#ifndef BLKREEL_PROFILE_ARRIVAL_SPLIT_ROWS_H
#define BLKREEL_PROFILE_ARRIVAL_SPLIT_ROWS_H

#include "profile/prng.h"
#include "profile/profile.h"

/* Kinds of IOs: reads and others of one interval each split in their own way. */
enum io_kind {
	KIND_OTHERS = 0,
	KIND_READS,
	KIND_ALL,
	KINDS
};

/*
 * The row for each level and number of IOs; where the profile has none, the next smaller one, or
 * else the next larger one. Zeros: the halves are random.
 */
struct split_rows {
	const uint32_t *rows[PROFILE_SPLIT_GROUPS][PROFILE_SPLIT_ROWS];
};

/* A row holds for its level and those below, to the next row. */
void split_rows_init(struct split_rows *r, const struct profile_splits *splits);

/* Draws from a row how many more of n IOs the fuller half gets than the other. */
uint64_t split_draw_difference(const uint32_t *weights, uint64_t n, struct prng *random);

#endif
