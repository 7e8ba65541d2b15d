/* SPDX-License-Identifier: MIT */
/*
 * How the reads of an interval split, when the split of its IOs is known: docs/profile-format.md.
 */
#ifndef BLKREEL_PROFILE_ARRIVAL_READ_SPLIT_H
#define BLKREEL_PROFILE_ARRIVAL_READ_SPLIT_H

#include "profile/prng.h"
#include "profile/profile.h"

/* An interval: its IOs and reads, and the IOs of its busier half (the first if they are equal). */
struct read_split {
	uint64_t ios, reads, busier_ios;
};

static inline uint64_t read_split_least(const struct read_split *s)
{
	uint64_t other_ios = s->ios - s->busier_ios;

	return s->reads > other_ios ? s->reads - other_ios : 0;
}

static inline uint64_t read_split_most(const struct read_split *s)
{
	return s->reads < s->busier_ios ? s->reads : s->busier_ios;
}

/* False where the numbers leave no choice; *busier_reads is the only possible one then. */
static inline bool read_split_is_open(const struct read_split *split, uint64_t *busier_reads)
{
	*busier_reads = read_split_least(split);
	return *busier_reads != read_split_most(split);
}

/* Row of the table for an interval: by IOs and by share of reads. */
unsigned int read_split_row(const struct read_split *split);

/* Column for the reads of the busier half of a split that is open. */
unsigned int read_split_column(const struct read_split *split, uint64_t busier_reads);

/* Reads of the busier half, drawn from the table. */
uint64_t read_split_draw(const struct read_split *split,
			 const uint32_t shares[PROFILE_SHARE_ROWS][PROFILE_SHARE_COLUMNS],
			 struct prng *random);

#endif
