/* SPDX-License-Identifier: MIT */
/* Rows and columns of a profile's tables: what the builder counts and the generator draws from. */
#ifndef BLKREEL_PROFILE_CLASSES_H
#define BLKREEL_PROFILE_CLASSES_H

#include <stdint.h>

#include "profile/arithmetic.h"
#include "profile/profile.h"
#include "workload/figures/measure.h"

/* Row of a split of n >= 2 IOs: 2, 3, 4-7, 8-15 ... and 4096 or more. */
static inline unsigned int split_row(uint64_t n)
{
	return at_most(n < 4 ? (unsigned int)n - 2 : bits_of(n) - 1, PROFILE_SPLIT_ROWS - 1);
}

/*
 * Column of a split, by difference / n in 256ths: column 0 is "all in one half", column c holds
 * (split_edges[c + 1], split_edges[c]], the last one down to 0.
 */
static const unsigned int split_edges[PROFILE_SPLIT_COLUMNS + 1] = {256, 256, 224, 192, 128, 64, 32,
								    16,	 8,   4,   2,	1,   0};

static inline unsigned int split_column(uint64_t difference, uint64_t n)
{
	unsigned int octaves;

	if (difference == n)
		return 0;
	if (2 * difference > n)
		return difference * 256 > n * split_edges[2]   ? 1
		       : difference * 256 > n * split_edges[3] ? 2
							       : 3;
	if (!difference)
		return PROFILE_SPLIT_COLUMNS - 1;
	/* From here on each edge is half of the one before. */
	octaves = bits_of(n) - bits_of(difference);
	octaves -= difference << octaves > n;
	return at_most(3 + octaves, PROFILE_SPLIT_COLUMNS - 1);
}

/* So many levels share the chances of the busier neighbour. */
#define NEIGHBOUR_LEVELS 3

/*
 * Column by how different the neighbours of an interval are, as it holds n IOs in their length (by
 * less than a quarter of n, less than n, or more), and by how uneven its own halves are: by less
 * than a quarter of its IOs, than three, or more.
 */
static inline unsigned int neighbour_column(uint64_t difference, uint64_t n, uint64_t own,
					    uint64_t own_n)
{
	unsigned int apart = difference >= n ? 2 : difference >= n / 4 ? 1 : 0;
	unsigned int uneven = own_n < 4 || 4 * own < own_n ? 0 : 4 * own < 3 * own_n ? 1 : 2;

	return apart + 3 * uneven;
}

/* Row of gaps inside a bin, by the IOs of the bin (n >= 2): 2, 3-4, 5-8 ... and 129 or more. */
static inline unsigned int gap_class(uint64_t n)
{
	return at_most(bits_of(n - 1) - 1, PROFILE_GAP_CLASSES - 1);
}

/* Row of entry gaps, by the IOs of the bin (n >= 1): 1, 2, 3-4 ... and 65 or more. */
static inline unsigned int entry_gap_class(uint64_t n)
{
	return at_most(bits_of(n - 1), PROFILE_GAP_CLASSES - 1);
}

/* Octave 0 is a gap of 0 ns; octave o holds 2^(o-1) to 2^o - 1 ns. */
static inline unsigned int gap_octave(uint64_t gap_ns)
{
	return at_most(bits_of(gap_ns), PROFILE_GAP_OCTAVES - 1);
}

static inline unsigned int reuse_octave(uint64_t distance)
{
	return at_most(bits_of(distance + 1), PROFILE_REUSE_OCTAVES - 1);
}

/* Age of a reused block: three octaves each. */
static inline unsigned int reuse_age(unsigned int reuse)
{
	return reuse ? at_most((reuse - 1) / 3, PROFILE_REUSE_AGES - 1) : 0;
}

/*
 * Whether the second block of a request tells if its run goes on over old or new blocks: the first
 * block was touched a moment ago, at the end of the run.
 */
static inline bool reuse_is_of_second(unsigned int block_offset_sectors, uint64_t sector,
				      uint64_t blocks)
{
	return blocks > 1 && (sector - block_offset_sectors) % BLOCK_SECTORS;
}

/* Distances in quarters of an octave: 0 new, then 1 + 4 * (octave - 1) + quarter. */
static inline unsigned int distance_column(uint64_t distance)
{
	unsigned int bits = bits_of(distance + 1);
	uint64_t quarter =
		bits > 2 ? (distance + 1) >> (bits - 3) & 3 : (distance + 1) << (3 - bits) & 3;

	return at_most(1 + 4 * (bits - 1) + (unsigned int)quarter, PROFILE_DISTANCES - 1);
}

static inline unsigned int distance_octave(unsigned int bin)
{
	return bin ? (bin - 1) / 4 + 1 : 0;
}

static inline unsigned int reuse_size(uint64_t blocks)
{
	return at_most(bits_of(blocks) - 1, PROFILE_REUSE_SIZES - 1);
}

/* Column by the blocks between a recent end and a start after or before it. */
static inline unsigned int run_distance_column(bool after, uint64_t blocks)
{
	unsigned int bits = bits_of(blocks);

	if (after)
		return 1 + bits;
	return 1 + PROFILE_RUN_DISTANCE_OCTAVES + (bits ? bits : 1);
}

static inline unsigned int run_recency_column(unsigned int recency)
{
	return at_most(bits_of(recency), PROFILE_RUN_RECENCY_COLUMNS - 1);
}

/* The shortest bin: the cascade gives counts of bins, and gaps are drawn inside them. */
#define BIN_NS 4000000ull

#endif
