/* SPDX-License-Identifier: MIT */
/*
 * What the IOs of an interval are: how many are reads, and how many of the reads and of the others
 * are in each size class. docs/profile-format.md, "reads" and "size_class".
 */
#ifndef BLKREEL_PROFILE_ARRIVAL_CLASS_COUNTS_H
#define BLKREEL_PROFILE_ARRIVAL_CLASS_COUNTS_H

#include "profile/prng.h"
#include "profile/profile.h"

/*
 * Counts of an interval: reads; reads above the first size and above the second; the same of
 * others.
 */
enum class_count {
	COUNT_READS = 0,
	COUNT_ABOVE, /* and the following: size classes 0 to PROFILE_SIZE_CLASSES - 1 */
	CLASS_COUNTS = COUNT_ABOVE + PROFILE_SIZE_CLASSES,
};

#define COUNTS_OF_OP  (PROFILE_SIZE_CLASSES / 2) /* where the size classes of others begin */
#define CLASSES_OF_OP (PROFILE_SIZE_CLASSES / 2 + 1)

/* Of how many of the interval's IOs a count is a part. */
static inline uint64_t class_count_whole(const uint64_t counts[CLASS_COUNTS], uint64_t ios,
					 unsigned int which)
{
	if (which == COUNT_READS)
		return ios;
	if (which == COUNT_ABOVE)
		return counts[COUNT_READS];
	if (which == COUNT_ABOVE + COUNTS_OF_OP)
		return ios - counts[COUNT_READS];
	return counts[which - 1];
}

/* Which of class_shares says how the IOs of one size class alone split. */
static inline unsigned int class_count_table(unsigned int which)
{
	return (which - COUNT_ABOVE) % COUNTS_OF_OP;
}

/*
 * IOs of a size class without those of the next larger class. The largest are split first, so *of
 * is how many IOs the others are a part of.
 */
static inline uint64_t class_count_alone(const uint64_t counts[CLASS_COUNTS], uint64_t ios,
					 unsigned int which, uint64_t *of)
{
	uint64_t further = 0;

	if (which != COUNT_READS && !class_count_table(which))
		further = counts[which + 1];
	*of = which == COUNT_READS		   ? ios
	      : which < COUNT_ABOVE + COUNTS_OF_OP ? counts[COUNT_READS] - further
						   : ios - counts[COUNT_READS] - further;
	return counts[which] - further;
}

/*
 * Splits the counts of an interval whose first half has `first` of its `ios`. With `reads_drawn`
 * the reads of the first half are in `firsts` already.
 */
void class_counts_split(const struct profile_arrival *a, const uint64_t counts[CLASS_COUNTS],
			uint64_t ios, uint64_t first, bool reads_drawn, struct prng *random,
			uint64_t firsts[CLASS_COUNTS]);

/*
 * Split level of a burst's neighbourhood, the interval of 128 bins around the burst if a window has
 * as many.
 */
static inline uint32_t burst_neighbourhood_level(uint32_t split_levels)
{
	return split_levels > 7 ? split_levels - 7 : 1;
}

/* What the profile says of the neighbourhood of a window's pinned burst; zeros: nothing. */
struct burst_neighbourhood {
	uint64_t ios, counts[CLASS_COUNTS];
};

/*
 * Counts of all windows [from, to) of a phase: those of the burst neighbourhoods, and what is left
 * of the phase, split in halves again and again.
 */
void class_counts_of_windows(const struct profile *p, uint32_t phase, uint32_t from, uint32_t to,
			     struct prng *random, uint64_t windows[][CLASS_COUNTS],
			     struct burst_neighbourhood *neighbourhoods);

/* What an interval holds, by op (others first) and size class. */
void class_counts_by_op(const uint64_t counts[CLASS_COUNTS], uint64_t ios,
			uint64_t classes[2][CLASSES_OF_OP]);

/* Size class of an IO: 0 to CLASSES_OF_OP - 1. */
unsigned int size_class(const struct profile_arrival *a, bool is_read, uint64_t bytes);

/*
 * Whether the large IOs of a burst neighbourhood are known: there are size classes, and the reads
 * of the neighbourhood are known.
 */
static inline bool burst_classes_known(const struct profile_arrival *a)
{
	return (a->size_classes[0].above_bytes || a->size_classes[COUNTS_OF_OP].above_bytes) &&
	       (a->kinds_known || !a->reads_known);
}

/* Whether the profile has size classes of reads, or of others. */
static inline bool size_classes_known(const struct profile_arrival *a, bool is_read)
{
	return a->size_classes[is_read ? 0 : PROFILE_SIZE_CLASSES / 2].above_bytes;
}

#endif
