/* SPDX-License-Identifier: MIT */
/*
 * How much of each age of reused blocks is due: by what the IOs so far should have touched. A
 * backup that reads what was written long ago brings old blocks, the server before it young ones.
 */
#ifndef BLKREEL_PROFILE_PLACEMENT_AGE_PROGRESS_H
#define BLKREEL_PROFILE_PLACEMENT_AGE_PROGRESS_H

#include "profile/profile.h"

/* A share of all. */
#define AGE_SHARE_ONE (1ull << 20)

struct age_progress {
	/* 2^-12 blocks of an age that each block of a request brings, by its size. */
	uint32_t of_block[PROFILE_STREAMS_MAX][PROFILE_REUSE_SIZES][PROFILE_REUSE_OCTAVES];
	unsigned int end; /* no request brings blocks of this age or an older one */
	/* 2^-12 blocks: so far, of all rounds that have begun, of one round. */
	uint64_t done[PROFILE_REUSE_OCTAVES], all[PROFILE_REUSE_OCTAVES],
		round[PROFILE_REUSE_OCTAVES];
};

/* Of space `space` of the profile; the first round begins. */
void age_progress_init(struct age_progress *a, const struct profile *p, uint32_t space);

/* The profile is generated over again. */
void age_progress_restart(struct age_progress *a);

/* A request of so many blocks (more than 0) was given. */
void age_progress_add(struct age_progress *a, unsigned int stream, uint64_t blocks);

/* The share of each age (from 1; 0 is not set) that is due, 0 to AGE_SHARE_ONE. */
void age_progress_shares(const struct age_progress *a, uint64_t shares[PROFILE_REUSE_OCTAVES]);

#endif
