/* SPDX-License-Identifier: MIT */
/*
 * IOs of coarse parts of all windows, kept until the end: a period is sought in them, and the
 * splits above them are counted when it is known.
 */
#ifndef BLKREEL_PROFILE_BUILD_COARSE_COUNTS_H
#define BLKREEL_PROFILE_BUILD_COARSE_COUNTS_H

#include <stdint.h>

#define COARSE_PARTS_MAX (1u << 18)

struct coarse_counts {
	uint32_t windows, level; /* 1 << level parts of each window */
	uint32_t *all, *reads;	 /* of the parts, window by window */
};

int coarse_counts_init(struct coarse_counts *c, uint32_t windows, uint32_t split_levels);
void coarse_counts_release(struct coarse_counts *c);

/* Before the first IO: windows are split fewer times. */
void coarse_counts_set_split_levels(struct coarse_counts *c, uint32_t split_levels);

static inline uint64_t coarse_counts_index(const struct coarse_counts *c, uint32_t window)
{
	return (uint64_t)window << c->level;
}

#endif
