/* SPDX-License-Identifier: MIT */
/* Counts per kind of stream and phase while a profile is built, and folds the rare kinds. */
#ifndef BLKREEL_PROFILE_BUILD_KINDS_H
#define BLKREEL_PROFILE_BUILD_KINDS_H

#include "profile/profile.h"
#include "workload/figures/size_table.h"

#define STREAM_KINDS_MAX 256 /* kept apart while reading */

/* What is counted of the IOs of a kind in one phase, or in several that are alike. */
struct stream_counts {
	struct size_table sizes;
	/* From here on counts of 64 bits to the end, which are added where kinds are folded. */
	uint64_t ios;
	uint64_t phases[PROFILE_PHASES_MAX];
	uint64_t next[STREAM_KINDS_MAX];
	uint64_t reuse[PROFILE_REUSE_SIZES][PROFILE_REUSE_OCTAVES];
	uint64_t placed[PROFILE_REUSE_SIZES];	  /* reads and writes by size */
	uint64_t again[PROFILE_REUSE_AGES];	  /* touched again, by age */
	uint64_t by_other_op[PROFILE_REUSE_AGES]; /* of these, where the other op was last */
	uint64_t straddles[PROFILE_REUSE_SIZES];  /* of these, over a block more than they need */
	uint64_t broken[PROFILE_REUSE_SIZES];	  /* of no whole blocks */
	uint64_t block_ends[PROFILE_REUSE_SIZES]; /* of these, ending where a block does */
	uint64_t zones[PROFILE_ZONES];
	uint64_t run_recency[PROFILE_RUN_RECENCY_COLUMNS];
	uint64_t starts, begins; /* that continue nothing, and of these where a file begins */
	uint64_t run_distance[PROFILE_RUN_DISTANCE_COLUMNS];
	/* Starts that continue nothing, by power of two of sectors. */
	uint64_t aligned[PROFILE_ALIGNMENTS];
};

struct stream_kind {
	enum io_op op;
	uint32_t flags;
	enum submitter submitter;
	bool sequential;
	uint32_t space;
	int folded_into; /* index of another kind; -1: it stands for itself */
	uint64_t ios;	 /* set by stream_kinds_fold() */
	struct stream_counts *counts[PROFILE_PHASES_MAX]; /* NULL: no IO */
};

struct stream_kinds {
	uint32_t count;
	uint32_t recent; /* index of the last one that was asked for */
	uint64_t
		keys[STREAM_KINDS_MAX]; /* what makes each one another: found without touching it */
	struct stream_kind kinds[STREAM_KINDS_MAX];
};

/* The index of the kind of a row; of the nearest one when the table is full. */
uint32_t stream_kinds_find(struct stream_kinds *k, const struct io_row *row,
			   enum submitter submitter, bool sequential, uint32_t space);

/* Its counts in a phase; NULL: no memory. */
struct stream_counts *stream_kinds_in(struct stream_kinds *k, uint32_t kind, uint32_t phase);

/* Adds *from to *into, each NULL or not, and frees it. 0 or -ENOMEM. */
int stream_counts_merge(struct stream_counts **into, struct stream_counts **from);

/* IOs in so many of all, below which a kind is rare. */
#define STREAM_RARE_FRACTION 2000

/* Sums up `ios` of each kind, and folds the rare ones of so many IOs. 0 or -ENOMEM. */
int stream_kinds_fold(struct stream_kinds *k, uint64_t ios);

void stream_kinds_release(struct stream_kinds *k);

#endif
