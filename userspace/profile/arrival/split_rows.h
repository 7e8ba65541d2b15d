/* SPDX-License-Identifier: MIT */
/* How the IOs of an interval fall into its halves: docs/profile-format.md, "split" and "neighbour". */
#ifndef BLKREEL_PROFILE_ARRIVAL_SPLIT_ROWS_H
#define BLKREEL_PROFILE_ARRIVAL_SPLIT_ROWS_H

#include "profile/prng.h"
#include "profile/profile.h"

/* Which IOs are meant: reads and others are of one interval, but each falls in its own way. */
enum io_kind {
	KIND_OTHERS = 0,
	KIND_READS,
	KIND_ALL,
	KINDS
};

/* The row of a table for each number of IOs; that of the next smaller one where there is none. */
struct split_rows {
	const uint32_t *rows[PROFILE_SPLIT_GROUPS][PROFILE_SPLIT_ROWS];
};

/* `by_level`: a row is of the splitting that it names and of those behind, to the next; else of two. */
void split_rows_init(struct split_rows *r, const struct profile_splits *splits, bool by_level);

/* How many more IOs than the other the fuller half of n gets, drawn from a row. */
uint64_t split_draw_difference(const uint32_t *weights, uint64_t n, struct prng *random);

#endif
