/*
 * Keeps what is generated near the profile's table of LRU distances: what came out too often so
 * far is made less likely, what came out too rarely more.
 */
#ifndef BLKREEL_PROFILE_STEER_H
#define BLKREEL_PROFILE_STEER_H

#include "profile/profile.h"

#define STEER_EVEN 256u /* factor of what is as frequent as it should be */

struct steer {
	const struct profile_space *space;
	uint32_t phases;
	bool on;
	uint64_t new_before, new_target; /* blocks: in earlier phases, by now */
	uint32_t phase;
	uint64_t weight_sum; /* of distances but new */
	uint64_t octave_weights[PROFILE_REUSE_BINS];
	uint64_t touched; /* blocks */
	uint64_t octaves[PROFILE_REUSE_BINS];
	uint64_t quarters[PROFILE_DISTANCES];
	uint32_t factors[PROFILE_REUSE_BINS];
	int64_t gain; /* blocks of difference that double or halve */
};

/* Of space `space` of the profile. */
void steer_init(struct steer *s, const struct profile *p, uint32_t space);

/* `done` of the `total` IOs of a phase were given; `live` blocks can be touched again. */
void steer_update(struct steer *s, uint32_t phase, uint64_t done, uint64_t total, uint64_t live);

/* The profile is generated over again. */
void steer_restart(struct steer *s);

/* Blocks that were touched with a distance of this bin. */
void steer_note(struct steer *s, unsigned int distance_bin, uint64_t blocks);

/* A quarter of an octave (from 1), by what it lacks. */
unsigned int steer_quarter(const struct steer *s, unsigned int octave, uint64_t random);

#endif
