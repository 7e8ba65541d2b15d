/* SPDX-License-Identifier: MIT */
/*
 * Keeps what is generated near the profile's table of LRU distances: what came out too often so
 * far is made less likely, what came out too rarely more.
 */
#ifndef BLKREEL_PROFILE_PLACEMENT_FEEDBACK_H
#define BLKREEL_PROFILE_PLACEMENT_FEEDBACK_H

#include "profile/profile.h"

#define FEEDBACK_EVEN 256u /* factor of what is as frequent as it should be */

struct feedback {
	const struct profile_space *space;
	uint32_t phases;
	bool on;
	/* Blocks in earlier phases, by now, and so far, of reads and of writes; all as of reads where that is not said. */
	struct feedback_new {
		uint64_t before, target, found;
		uint32_t factor;
	} news[2];
	uint32_t phase;
	uint64_t weight_sum; /* of distances but new */
	uint64_t octave_weights[PROFILE_REUSE_OCTAVES];
	uint64_t touched; /* blocks */
	uint64_t octaves[PROFILE_REUSE_OCTAVES];
	uint64_t quarters[PROFILE_DISTANCES];
	uint32_t factors[PROFILE_REUSE_OCTAVES]; /* 0: of no use, feedback_factor() */
	int64_t gain;				 /* blocks of difference that double or halve */
};

/* Of space `space` of the profile. */
void feedback_init(struct feedback *s, const struct profile *p, uint32_t space);

/* `done` of the `total` IOs of a phase were given; `live` blocks can be touched again. */
void feedback_update(struct feedback *s, uint32_t phase, uint64_t done, uint64_t total,
		     uint64_t live);

/* The profile is generated over again. */
void feedback_restart(struct feedback *s);

static inline const struct feedback_new *feedback_new_of(const struct feedback *s, bool is_write)
{
	return &s->news[is_write && s->space->written_known];
}

/* By what a block of this age is to be made likelier, for a read or a write. */
static inline uint32_t feedback_factor(const struct feedback *s, unsigned int octave, bool is_write)
{
	return octave ? s->factors[octave] : feedback_new_of(s, is_write)->factor;
}

/* Whether more blocks came new so far than should have. */
static inline bool feedback_new_too_many(const struct feedback *s, bool is_write)
{
	const struct feedback_new *new = feedback_new_of(s, is_write);

	return s->on && (int64_t)(new->found - new->target) > s->gain;
}

/* Blocks that a read or a write touched with a distance of this bin. */
void feedback_note(struct feedback *s, unsigned int distance_column, uint64_t blocks,
		   bool is_write);

/* A quarter of an octave (from 1), by what it lacks. */
unsigned int feedback_quarter(const struct feedback *s, unsigned int octave, uint64_t random);

#endif
