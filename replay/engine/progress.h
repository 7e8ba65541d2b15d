/* SPDX-License-Identifier: MIT */
/* Counts what happened since the last report to the caller of an engine. */
#ifndef BLKREEL_REPLAY_ENGINE_PROGRESS_H
#define BLKREEL_REPLAY_ENGINE_PROGRESS_H

#include <pthread.h>

#include "replay/engine/options.h"
#include "replay/engine/result.h"

struct engine_watch {
	pthread_mutex_t *lock; /* of the engines that share it; NULL: there is one */
	unsigned int running;  /* engines that have not made their last report */
	const struct engine_options *options;
	uint64_t start_ns, told_ns;
	uint64_t late_ns, submissions;
	struct engine_progress progress;
	struct histogram intended_ns, submitted_ns;
};

/*
 * Starts counting; `start_ns`: CLOCK_MONOTONIC at which the replay starts, taken from the first
 * engine.
 */
void engine_watch__start(struct engine_watch *w, const struct engine_options *options,
			 uint64_t start_ns);

/* Nobody wants reports: the functions below need not be called. */
static inline bool engine_watch__is_idle(const struct engine_watch *w)
{
	return !w->options->progress;
}

/* Counts an IO that was submitted so late. */
void engine_watch__submitted(struct engine_watch *w, uint64_t late_ns);
/* Counts an IO that failed. */
void engine_watch__failed(struct engine_watch *w);
/* Counts IOs that completed. */
void engine_watch__completed(struct engine_watch *w, const struct engine_completed *io);

/*
 * Reports when an interval is over, or at once if it is the `last` call (of all engines) and
 * something happened.
 */
void engine_watch__tell(struct engine_watch *w, uint64_t now_ns, uint64_t due_ns,
			uint32_t in_flight, bool last);

#endif
