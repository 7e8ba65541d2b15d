/* SPDX-License-Identifier: MIT */
/*
 * What the IOs of an interval are: how many of them read, and how many of these and of the others
 * are large. docs/profile-format.md, "reads" and the size classes.
 */
#ifndef BLKREEL_PROFILE_ARRIVAL_CLASS_COUNTS_H
#define BLKREEL_PROFILE_ARRIVAL_CLASS_COUNTS_H

#include "profile/prng.h"
#include "profile/profile.h"

/* IOs of an interval that read; of these above the first size and above the second; of the others. */
enum class_count {
	COUNT_READS = 0,
	COUNT_ABOVE, /* and the following: profile_size_class 0 to PROFILE_SIZE_CLASSES - 1 */
	CLASS_COUNTS = COUNT_ABOVE + PROFILE_SIZE_CLASSES,
};

#define COUNTS_OF_OP  (PROFILE_SIZE_CLASSES / 2) /* where the marks of IOs that do not read begin */
#define CLASSES_OF_OP (PROFILE_SIZE_CLASSES / 2 + 1)

/* Of how many of the interval's IOs a mark is a part. */
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

/* Which of class_shares says how the IOs of one size class alone fall into halves. */
static inline unsigned int class_count_table(unsigned int which)
{
	return (which - COUNT_ABOVE) % COUNTS_OF_OP;
}

/* Those of a mark that have no further one: as the largest are told first, *of how many the others are a part. */
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
 * What the first half of an interval gets, which has `first` of its `ios`. Where `reads_drawn`, the
 * reads of it are in `firsts` already.
 */
void class_counts_split(const struct profile_arrival *a, const uint64_t counts[CLASS_COUNTS],
			uint64_t ios, uint64_t first, bool reads_drawn, struct prng *random,
			uint64_t firsts[CLASS_COUNTS]);

/* The neighbourhood of a burst is the interval around it after so many splits: of 128 bins if there are as many. */
static inline uint32_t burst_neighbourhood_level(uint32_t split_levels)
{
	return split_levels > 7 ? split_levels - 7 : 1;
}

/* What is known of the neighbourhood of a window's burst; zeros where nothing is said. */
struct burst_neighbourhood {
	uint64_t ios, counts[CLASS_COUNTS];
};

/*
 * The marks of all windows of a phase, [from, to): those of their neighbourhoods, and those that are left of the phase,
 * divided in halves.
 */
void class_counts_of_windows(const struct profile *p, uint32_t phase, uint32_t from, uint32_t to,
			     struct prng *random, uint64_t windows[][CLASS_COUNTS],
			     struct burst_neighbourhood *neighbourhoods);

/* By class of size, others first, what an interval holds. */
void class_counts_by_op(const uint64_t counts[CLASS_COUNTS], uint64_t ios,
			uint64_t classes[2][CLASSES_OF_OP]);

/* Class of a size: 0 to CLASSES_OF_OP - 1. */
unsigned int size_class(const struct profile_arrival *a, bool is_read, uint64_t bytes);

/* Whether it can be said how many IOs of a neighbourhood are large: sizes are told apart, and so are its reads. */
static inline bool burst_classes_known(const struct profile_arrival *a)
{
	return (a->size_classes[0].above_bytes || a->size_classes[COUNTS_OF_OP].above_bytes) &&
	       (a->kinds_known || !a->reads_known);
}

/* Whether classes of sizes are said of reads, or of others. */
static inline bool size_classes_known(const struct profile_arrival *a, bool is_read)
{
	return a->size_classes[is_read ? 0 : PROFILE_SIZE_CLASSES / 2].above_bytes;
}

#endif
