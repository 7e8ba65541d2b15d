/* SPDX-License-Identifier: MIT */
/*
 * How large a share of a bin's IOs may be of a size class: no larger than in the bins of the trace
 * with as many IOs. Large IOs that the cascade gives beyond that go to later bins.
 * docs/profile-format.md, "class_cap".
 */
#ifndef BLKREEL_PROFILE_ARRIVAL_BIN_SIZES_H
#define BLKREEL_PROFILE_ARRIVAL_BIN_SIZES_H

#include "profile/arrival/class_counts.h"

#define CAP_ROW_IOS 8 /* IOs of a bin of the first row; each further row: twice as many */

/* By op, others first, and size class: the backlog, large IOs that earlier bins gave up. */
struct bin_sizes {
	uint64_t backlog[2][CLASSES_OF_OP];
};

/* Row of cap_permille for a bin of so many IOs; -1: too few, no cap. */
int bin_sizes_row(uint64_t ios);

/* Turns what the cascade gave a bin into what the bin may hold; the sum of each op stays. */
void bin_sizes_settle(struct bin_sizes *l, const struct profile_arrival *a, struct prng *random,
		      uint64_t classes[2][CLASSES_OF_OP]);

/* The largest shares in the bins of a trace; all 0 before the first. */
struct bin_caps {
	bool seen[PROFILE_SIZE_CLASSES][PROFILE_CAP_ROWS];
	uint32_t permille[PROFILE_SIZE_CLASSES][PROFILE_CAP_ROWS];
};

void bin_caps_note(struct bin_caps *most, const uint64_t counts[CLASS_COUNTS], uint64_t ios);

/* For one size class; a row without bins is as the row below, or as the first that has some. */
void bin_caps_fill(const struct bin_caps *most, unsigned int which,
		   struct profile_size_class *model);

#endif
