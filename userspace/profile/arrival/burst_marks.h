/* SPDX-License-Identifier: MIT */
/*
 * What the IOs of an interval are: how many of them read, and how many of these and of the others
 * are large. docs/profile-format.md, "reads" and "larger".
 */
#ifndef BLKREEL_PROFILE_ARRIVAL_BURST_MARKS_H
#define BLKREEL_PROFILE_ARRIVAL_BURST_MARKS_H

#include "profile/prng.h"
#include "profile/profile.h"

/* IOs of an interval that read; of these above the first size and above the second; of the others. */
enum burst_mark {
	MARK_READS = 0,
	MARK_LARGER, /* and the following: profile_larger 0 to PROFILE_LARGER - 1 */
	BURST_MARKS = MARK_LARGER + PROFILE_LARGER,
};

#define MARKS_OTHERS (PROFILE_LARGER / 2) /* where the marks of IOs that do not read begin */
#define SIZE_CLASSES (PROFILE_LARGER / 2 + 1)

/* Of how many of the interval's IOs a mark is a part. */
static inline uint64_t burst_mark_of(const uint64_t marks[BURST_MARKS], uint64_t ios,
				     unsigned int mark)
{
	if (mark == MARK_READS)
		return ios;
	if (mark == MARK_LARGER)
		return marks[MARK_READS];
	if (mark == MARK_LARGER + MARKS_OTHERS)
		return ios - marks[MARK_READS];
	return marks[mark - 1];
}

/* Which of larger_shares says how the IOs of one size class alone fall into halves. */
static inline unsigned int burst_mark_table(unsigned int mark)
{
	return (mark - MARK_LARGER) % MARKS_OTHERS;
}

/* Those of a mark that have no further one: as the largest are told first, *of how many the others are a part. */
static inline uint64_t burst_mark_alone(const uint64_t marks[BURST_MARKS], uint64_t ios,
					unsigned int mark, uint64_t *of)
{
	uint64_t larger = 0;

	if (mark != MARK_READS && !burst_mark_table(mark))
		larger = marks[mark + 1];
	*of = mark == MARK_READS		  ? ios
	      : mark < MARK_LARGER + MARKS_OTHERS ? marks[MARK_READS] - larger
						  : ios - marks[MARK_READS] - larger;
	return marks[mark] - larger;
}

/*
 * What the first half of an interval gets, which has `first` of its `ios`. Where `reads_drawn`, the
 * reads of it are in `firsts` already.
 */
void burst_marks_split(const struct profile_arrival *a, const uint64_t marks[BURST_MARKS],
		       uint64_t ios, uint64_t first, bool reads_drawn, struct prng *random,
		       uint64_t firsts[BURST_MARKS]);

/* The crowd of a burst is the interval around it after so many halvings: of 128 leaves if there are as many. */
static inline uint32_t burst_crowd_halvings(uint32_t halvings)
{
	return halvings > 7 ? halvings - 7 : 1;
}

/* What is known of the crowd of a window's burst; zeros where nothing is said. */
struct burst_crowd {
	uint64_t ios, marks[BURST_MARKS];
};

/*
 * The marks of all windows of a phase, [from, to): those of their crowds, and those that are left of the phase,
 * divided in halves.
 */
void burst_marks_of_windows(const struct profile *p, uint32_t phase, uint32_t from, uint32_t to,
			    struct prng *random, uint64_t windows[][BURST_MARKS],
			    struct burst_crowd *crowds);

/* By class of size, others first, what an interval holds. */
void burst_marks_classes(const uint64_t marks[BURST_MARKS], uint64_t ios,
			 uint64_t classes[2][SIZE_CLASSES]);

/* Class of a size: 0 to SIZE_CLASSES - 1. */
unsigned int size_class(const struct profile_arrival *a, bool is_read, uint64_t bytes);

/* Whether it can be said how many IOs of a crowd are large: sizes are told apart, and so are its reads. */
static inline bool burst_sizes_known(const struct profile_arrival *a)
{
	return (a->larger[0].above_bytes || a->larger[MARKS_OTHERS].above_bytes) &&
	       (a->halves_known || !a->reads_known);
}

/* Whether classes of sizes are said of reads, or of others. */
static inline bool size_classes_known(const struct profile_arrival *a, bool is_read)
{
	return a->larger[is_read ? 0 : PROFILE_LARGER / 2].above_bytes;
}

#endif
