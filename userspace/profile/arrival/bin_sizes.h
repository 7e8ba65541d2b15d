/* SPDX-License-Identifier: MIT */
/*
 * How much of a bin's IOs may be large: no more than of the trace's bins with as many. What splitting gives beyond
 * that comes in bins that follow. docs/profile-format.md, "class_cap".
 */
#ifndef BLKREEL_PROFILE_ARRIVAL_BIN_SIZES_H
#define BLKREEL_PROFILE_ARRIVAL_BIN_SIZES_H

#include "profile/arrival/class_counts.h"

#define CAP_ROW_IOS 8 /* of the first row, twice as many in each that follows */

/* By op, others first, and class of size: IOs that earlier bins gave up. */
struct bin_sizes {
	uint64_t backlog[2][CLASSES_OF_OP];
};

/* Row of cap_permille for so many IOs; -1: any part of them may be large. */
int bin_sizes_row(uint64_t ios);

/* What a bin holds becomes what it may hold; the sum of each op stays. */
void bin_sizes_settle(struct bin_sizes *l, const struct profile_arrival *a, struct prng *random,
		      uint64_t classes[2][CLASSES_OF_OP]);

/* What the bins of a trace held; all 0 before the first. */
struct bin_caps {
	bool seen[PROFILE_SIZE_CLASSES][PROFILE_CAP_ROWS];
	uint32_t permille[PROFILE_SIZE_CLASSES][PROFILE_CAP_ROWS];
};

void bin_caps_note(struct bin_caps *most, const uint64_t counts[CLASS_COUNTS], uint64_t ios);

/* For one mark; rows without bins are as the one below, or the first that has some. */
void bin_caps_fill(const struct bin_caps *most, unsigned int which,
		   struct profile_size_class *model);

#endif
