/* SPDX-License-Identifier: MIT */
/*
 * How far a replay's writes have come, by their numbers: up to which number all have completed, and
 * up to which number all are durable, because a flush that began after them has completed. Knows no
 * clock and no IO.
 */
#ifndef BLKREEL_REPLAY_VERIFY_DURABLE_H
#define BLKREEL_REPLAY_VERIFY_DURABLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* What another thread may read while the replay runs. */
struct durable_progress {
	_Atomic uint64_t completed; /* all writes up to this number have completed */
	_Atomic uint64_t durable;
	_Atomic uint64_t failed; /* writes that failed; their numbers count as completed */
};

/* Writes complete in any order; their numbers are at most so far apart. */
#define DURABLE_WINDOW (1u << 16)

struct durable {
	pthread_mutex_t *lock; /* of the threads that share it; NULL: there is one */
	struct durable_progress *progress;
	uint64_t completed;
	uint64_t durable;
	uint64_t done[DURABLE_WINDOW / 64]; /* bits by number modulo DURABLE_WINDOW */
};

/* A write has completed; number 0 changes nothing. */
void durable__complete(struct durable *d, uint64_t number, int failed);

/* A flush is submitted: returns what it makes durable if it succeeds. */
uint64_t durable__mark(struct durable *d);

/* A flush that was submitted at `mark` has succeeded. */
void durable__flushed(struct durable *d, uint64_t mark);

#endif
