/* SPDX-License-Identifier: MIT */
/*
 * Feedback that keeps the generated LRU distances near the profile's table: a distance that came
 * too often is made less likely, one that came too rarely more likely.
 */
#ifndef BLKREEL_PROFILE_PLACEMENT_FEEDBACK_H
#define BLKREEL_PROFILE_PLACEMENT_FEEDBACK_H

#include "profile/prng.h"
#include "profile/profile.h"

/*
 * How much of each age of reused blocks is due: by what the IOs so far should have touched. A
 * backup that reads what was written long ago brings old blocks, the server before it young ones.
 */
struct age_progress {
	/* 2^-12 blocks of an age that each block of a request brings, by its size. */
	uint32_t of_block[PROFILE_STREAMS_MAX][PROFILE_REUSE_SIZES][PROFILE_REUSE_OCTAVES];
	unsigned int end; /* no request brings blocks of this age or an older one */
	/* 2^-12 blocks: so far, of all rounds that have begun, of one round. */
	uint64_t done[PROFILE_REUSE_OCTAVES], all[PROFILE_REUSE_OCTAVES],
		round[PROFILE_REUSE_OCTAVES];
};

/*
 * How many of a phase's new blocks are due. Large requests of a stream that goes to new blocks
 * bring theirs when they come, the other IOs share what is left: a few hundred writes that fill a
 * disk touch more than the thousands of IOs that use it then.
 */
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

struct feedback {
	const struct profile *p;
	const struct profile_space *space;
	uint32_t phases;
	bool on;
	/*
	 * New blocks of reads and of writes: of earlier phases, due by now, found so far. All count
	 * as reads if the profile does not tell them apart.
	 */
	struct feedback_new {
		uint64_t before, target, found;
		uint32_t factor;
	} news[2];
	uint32_t phase;
	/* What follows of these two is known only where the feedback is on. */
	struct new_progress new_progress;
	struct age_progress age_progress;
	uint64_t shares[PROFILE_REUSE_OCTAVES]; /* due, of 1 to AGE_SHARE_ONE */
	uint64_t weight_sum;			/* of distances but new, by what is due */
	uint64_t octave_weights[PROFILE_REUSE_OCTAVES];
	uint64_t touched; /* blocks */
	uint64_t octaves[PROFILE_REUSE_OCTAVES];
	uint64_t quarters[PROFILE_DISTANCES];
	uint32_t factors[PROFILE_REUSE_OCTAVES]; /* 0: of no use, feedback_factor() */
	int64_t gain; /* difference, in blocks, that doubles or halves a chance */
};

/* Of space `space` of the profile. */
void feedback_init(struct feedback *s, const struct profile *p, uint32_t space);

/* An IO of this phase follows; `done` IOs of it were given. */
void feedback_begin(struct feedback *s, uint32_t phase, uint64_t done);

/* A request of so many blocks (more than 0) of a stream is given, wherever it goes. */
void feedback_expect(struct feedback *s, unsigned int stream, uint64_t blocks);

/* `done` of the `total` IOs of the phase were given; `live` blocks can be touched again. */
void feedback_update(struct feedback *s, uint64_t done, uint64_t total, uint64_t live);

/* The profile is generated over again. */
void feedback_restart(struct feedback *s);

static inline const struct feedback_new *feedback_new_of(const struct feedback *s, bool is_write)
{
	return &s->news[is_write && s->space->written_known];
}

/* Factor of the chance of a block of this age, for a read or a write. */
static inline uint32_t feedback_factor(const struct feedback *s, unsigned int octave, bool is_write)
{
	return octave ? s->factors[octave] : feedback_new_of(s, is_write)->factor;
}

/* Whether more new blocks came so far than should have. */
static inline bool feedback_new_too_many(const struct feedback *s, bool is_write)
{
	const struct feedback_new *new = feedback_new_of(s, is_write);

	return s->on && (int64_t)(new->found - new->target) > s->gain;
}

/* Counts blocks that a read or a write touched at a distance of this column. */
void feedback_note(struct feedback *s, unsigned int distance_column, uint64_t blocks,
		   bool is_write);

/* Draws a quarter of an octave (from 1), by what each lacks. */
unsigned int feedback_quarter(const struct feedback *s, unsigned int octave, struct prng *random);

#endif
