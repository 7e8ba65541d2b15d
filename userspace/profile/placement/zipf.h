/* SPDX-License-Identifier: MIT */
/*
 * Zipf's distribution: rank r of n is drawn in proportion to r^-exponent. Integers alone, so that
 * the same numbers come on every machine.
 */
#ifndef BLKREEL_PROFILE_PLACEMENT_ZIPF_H
#define BLKREEL_PROFILE_PLACEMENT_ZIPF_H

#include <stdint.h>

#include "profile/prng.h"

/* The first ranks have a cell each, those behind them sixteen cells an octave. */
#define ZIPF_CELLS_MAX (64u + 16u * 58u)

struct zipf {
	uint64_t count;
	unsigned int cells;
	uint64_t begins[ZIPF_CELLS_MAX]; /* the first rank of each cell, from 0 */
	uint64_t sums[ZIPF_CELLS_MAX];	 /* the weight of the cells up to this one */
};

/* `count` ranks, at least one, and the exponent in 1/1000. */
void zipf_init(struct zipf *z, uint64_t count, uint32_t exponent_permille);

/* A rank from 0, the most frequent one, to count - 1. */
uint64_t zipf_draw(const struct zipf *z, struct prng *random);

/* Where rank `rank` of `count` lies, from 0 to count - 1: each rank somewhere else. */
uint64_t zipf_scatter(uint64_t rank, uint64_t count);

#endif
