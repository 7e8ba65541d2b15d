/* SPDX-License-Identifier: MIT */
/*
 * How many of a phase's new blocks are due. Large requests of a stream that goes to new blocks
 * bring theirs when they come, the other IOs share what is left: a few hundred writes that fill a
 * disk touch more than the thousands of IOs that use it then.
 */
#ifndef BLKREEL_PROFILE_PLACEMENT_NEW_PROGRESS_H
#define BLKREEL_PROFILE_PLACEMENT_NEW_PROGRESS_H

#include "profile/profile.h"

struct new_progress {
	uint32_t phase;			      /* UINT32_MAX: none has begun */
	bool fills[PROFILE_STREAMS_MAX];      /* large requests go to new blocks, nearly always */
	unsigned int of[PROFILE_STREAMS_MAX]; /* 0: counts as a read, 1: as a write */
	uint64_t means[PROFILE_STREAMS_MAX];  /* 2^-16 blocks of large requests, by IO */
	/*
	 * Blocks of large requests of this phase, of reads and of writes: so far, of all. All count
	 * as reads if the profile does not tell them apart.
	 */
	uint64_t done[2], all[2];
};

/* Of space `space` of the profile; no phase has begun. */
void new_progress_init(struct new_progress *n, const struct profile *p, uint32_t space);

void new_progress_begin(struct new_progress *n, const struct profile *p, uint32_t phase);

/* A request of so many blocks (more than 0) was given. */
void new_progress_add(struct new_progress *n, unsigned int stream, uint64_t blocks);

/*
 * How many of `blocks`, the new blocks of the phase's writes or reads, should have been touched by
 * now, when `done` of the `total` IOs of the phase were given.
 */
uint64_t new_progress_due(const struct new_progress *n, bool of_writes, uint64_t blocks,
			  uint64_t done, uint64_t total);

#endif
