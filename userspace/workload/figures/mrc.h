/* SPDX-License-Identifier: MIT */
/*
 * The LRU miss-ratio curve of a stream of block references: the share of them that would miss in a
 * cache of each size. Exact up to MRC_EXACT_BLOCKS distinct blocks. Beyond, follows a spatial
 * sample of the blocks, which it halves as often as needed (Waldspurger et al., "Efficient MRC
 * construction with SHARDS", FAST 2015).
 */
#ifndef BLKREEL_WORKLOAD_FIGURES_MRC_H
#define BLKREEL_WORKLOAD_FIGURES_MRC_H

#include <stdbool.h>
#include <stdint.h>

#include "workload/lru/block_map.h"

#define MRC_EXACT_BLOCKS (1u << 21) /* 8 GiB of distinct blocks */
#define MRC_POINTS	 128	    /* cache sizes: 1 to 7, then four per power of two */

struct mrc;

int mrc__create(uint32_t exact_blocks, struct mrc **mrc); /* 0 or -ENOMEM */
/*
 * Whether a block belongs to the sample of one block in 2^sample_bits. The sample of a larger
 * `sample_bits` is a subset.
 */
static inline bool mrc_is_sampled(uint64_t block, unsigned int sample_bits)
{
	return !(block_hash(block ^ 0x9e3779b97f4a7c15ull) & ((1ull << sample_bits) - 1));
}

void mrc__free(struct mrc *m); /* NULL is allowed */

int mrc__touch(struct mrc *m, uint64_t block); /* 0 or -ENOMEM */

/* Cache size of a point in blocks of 4 KiB; 0 <= point < MRC_POINTS. */
uint64_t mrc_point_blocks(unsigned int point);

struct mrc_curve {
	uint64_t references;
	uint64_t footprint_blocks;	   /* distinct blocks */
	double miss_ratio[MRC_POINTS];	   /* 0 to 1; all 0 when there are no references */
	unsigned int sampled_one_block_in; /* 1: exact */
};

/* Fills the curve of the references so far. */
void mrc__curve(const struct mrc *m, struct mrc_curve *curve);

/* Mean difference of two curves over the points up to the larger footprint, 0 to 1. */
double mrc_curve_distance(const struct mrc_curve *a, const struct mrc_curve *b);

#endif
