/* SPDX-License-Identifier: MIT */
/*
 * How far a replay's writes have come, by their numbers: all up to which have completed, and all
 * up to which were completed when a flush began that has completed, too. Knows no clock and no IO.
 */
#ifndef BLKREEL_REPLAY_VERIFY_DURABLE_H
#define BLKREEL_REPLAY_VERIFY_DURABLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* What another thread may look at while the replay runs. */
struct durable_progress {
	_Atomic uint64_t completed; /* the highest number below which none is missing */
	_Atomic uint64_t durable;
	_Atomic uint64_t failed; /* writes that failed; their numbers count as completed */
};

/* Numbers complete in any order, as far apart as IOs are in flight or wait for others. */
#define DURABLE_WINDOW (1u << 16)

struct durable {
	pthread_mutex_t *lock; /* of the threads that share it; NULL: there is one */
	struct durable_progress *progress;
	uint64_t completed;
	uint64_t durable;
	uint64_t done[DURABLE_WINDOW / 64]; /* bits by number modulo DURABLE_WINDOW */
};

/* 0 is no number and changes nothing. */
void durable__complete(struct durable *d, uint64_t number, int failed);

/* When a flush is submitted: what it makes durable if it succeeds. */
uint64_t durable__mark(struct durable *d);

/* A flush that was submitted at `mark` has succeeded. */
void durable__flushed(struct durable *d, uint64_t mark);

#endif
