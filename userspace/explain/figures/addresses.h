/* SPDX-License-Identifier: MIT */
/* Estimates how many blocks are read again. */
#ifndef BLKREEL_EXPLAIN_FIGURES_ADDRESSES_H
#define BLKREEL_EXPLAIN_FIGURES_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * How many 4 KiB blocks are read again, by a spatial sample of fixed size as in SHARDS (Waldspurger
 * et al., FAST'15): the blocks whose hash is below a threshold, which falls as the sample fills.
 */
struct block_sample;

struct block_sample *block_sample__new(void); /* NULL: out of memory */
void block_sample__free(struct block_sample *s);
/*
 * Notes a read; adds its blocks to *blocks and those seen before to *repeated. Both are exact while
 * no more than 8,192 blocks are distinct, then estimated: one in the sample stands for all that are
 * not.
 */
void block_sample__read(struct block_sample *s, uint64_t sector, uint64_t bytes, uint64_t *blocks,
			uint64_t *repeated);

#endif
