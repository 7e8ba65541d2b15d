/* SPDX-License-Identifier: MIT */
/* Counts what happened since the last report to the caller of an engine. */
#ifndef BLKREEL_REPLAY_ENGINE_PROGRESS_H
#define BLKREEL_REPLAY_ENGINE_PROGRESS_H

#include <pthread.h>

#include "replay/engine/options.h"
#include "replay/engine/result.h"

struct progress {
	pthread_mutex_t *lock; /* of the engines that share it; NULL: there is one */
	unsigned int running;  /* engines that have not made their last report */
	const struct engine_options *options;
	uint64_t start_ns, told_ns;
	uint64_t late_ns, submissions;
	struct engine_progress report; /* what the caller is told next */
	struct histogram intended_ns, submitted_ns;
};

/*
 * Starts counting; `start_ns`: CLOCK_MONOTONIC at which the replay starts, taken from the first
 * engine.
 */
void progress__start(struct progress *p, const struct engine_options *options, uint64_t start_ns);

/* Nobody wants reports: the functions below need not be called. */
static inline bool progress__is_idle(const struct progress *p)
{
	return !p->options->progress;
}

/* Counts an IO that was submitted so late. */
void progress__submitted(struct progress *p, uint64_t late_ns);
/* Counts an IO that failed. */
void progress__failed(struct progress *p);
/* Counts IOs that completed. */
void progress__completed(struct progress *p, const struct engine_completed *io);

/*
 * Reports when an interval is over, or at once if it is the `last` call (of all engines) and
 * something happened.
 */
void progress__tell(struct progress *p, uint64_t now_ns, uint64_t due_ns, uint32_t in_flight,
		    bool last);

#endif
