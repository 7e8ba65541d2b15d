// SPDX-License-Identifier: MIT
#include "profile/arrival/read_split.h"

#include "profile/arithmetic.h"
#include "profile/random_share.h"

#define MIDDLE (PROFILE_SHARE_COLUMNS / 2)
#define PARTS  1024 /* of the way from the even share to the utmost */

/* Where the columns on either side of the middle begin, in PARTS; the outermost is the utmost. */
static const unsigned int edges[MIDDLE + 1] = {0, PARTS / 16, PARTS / 4, PARTS / 2, PARTS};

/* 0 to PROFILE_SHARE_SHARES - 1, by the share of reads. */
static unsigned int share_class(uint64_t ios, uint64_t reads)
{
	return reads < ios / 8 ? 0 : reads < ios / 2 ? 1 : reads < ios - ios / 8 ? 2 : 3;
}

unsigned int read_split_row(const struct read_split *split)
{
	unsigned int ios = at_most((bits_of(split->ios) - 1) / 2, PROFILE_SHARE_IOS - 1);

	return ios * PROFILE_SHARE_SHARES + share_class(split->ios, split->reads);
}

/* The reads of the busier half if both had the same share, and how far that can be left. */
static uint64_t even_reads(const struct read_split *s)
{
	return part_begin(s->reads, s->busier_ios, s->ios);
}

unsigned int read_split_column(const struct read_split *split, uint64_t busier_reads)
{
	uint64_t least = read_split_least(split), most = read_split_most(split),
		 even = even_reads(split);
	bool above = busier_reads > even;
	uint64_t range = above ? most - even : even - least;
	uint64_t way = above ? busier_reads - even : even - busier_reads;
	unsigned int column = 0;

	if (busier_reads == least)
		return 0;
	if (busier_reads == most)
		return PROFILE_SHARE_COLUMNS - 1;
	way = part_begin(PARTS, way, range);
	while (column + 1 < MIDDLE && way >= edges[column + 1])
		column++;
	return above ? MIDDLE + column : MIDDLE - column;
}

/* The row of the interval; if it is not known, the next smaller one that is; -1 without any. */
static int draw_column(const struct read_split *split,
		       const uint32_t shares[PROFILE_SHARE_ROWS][PROFILE_SHARE_COLUMNS],
		       struct prng *random)
{
	int column = -1;

	for (int row = (int)read_split_row(split); row >= 0 && column < 0;
	     row -= PROFILE_SHARE_SHARES)
		column = prng_weighted(random, shares[row], PROFILE_SHARE_COLUMNS);
	return column;
}

uint64_t read_split_draw(const struct read_split *split,
			 const uint32_t shares[PROFILE_SHARE_ROWS][PROFILE_SHARE_COLUMNS],
			 struct prng *random)
{
	uint64_t least = read_split_least(split), most = read_split_most(split), even, way;
	int column = draw_column(split, shares, random);
	unsigned int step;

	if (column < 0)
		return random_share(split->ios, split->reads, split->busier_ios, random);
	if (column == 0)
		return least;
	if (column == PROFILE_SHARE_COLUMNS - 1)
		return most;
	even = even_reads(split);
	step = column > MIDDLE ? (unsigned int)(column - MIDDLE) : (unsigned int)(MIDDLE - column);
	way = edges[step] + prng_below(random, edges[step + 1] - edges[step]);
	if (column > MIDDLE)
		return even + part_begin(most - even, way, PARTS);
	if (column < MIDDLE)
		return even - part_begin(even - least, way, PARTS);
	/* The middle is of either side. */
	if (prng_next(random) >> 63)
		return even + part_begin(most - even, way, PARTS);
	return even - part_begin(even - least, way, PARTS);
}
