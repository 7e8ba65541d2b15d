/* SPDX-License-Identifier: MIT */
/*
 * What a replay asks of whoever runs it. Each function returns 0, or -1 with *failure. `context` is the first argument of
 * each.
 */
#ifndef BLKREEL_REPLAY_SESSION_CALLBACKS_H
#define BLKREEL_REPLAY_SESSION_CALLBACKS_H

#include <signal.h>
#include <stdint.h>

#include "replay/engine/options.h"
#include "replay/session/failure.h"
#include "replay/session/outcome.h"
#include "replay/target/target.h"

/* A job that is about to be played. */
struct replay_playing_job {
	const char *source, *target;   /* names */
	struct engine_options *engine; /* `progress` may be set */
};

/* A replay that is about to be played. */
struct replay_playing {
	uint64_t ios;	      /* of all jobs and rounds */
	uint64_t duration_ns; /* of a mode with due times, at the speed asked for; else 0 */
	uint64_t runtime_ns;  /* of the clock, at the most; 0: no limit */
	volatile sig_atomic_t *enough; /* set it to end the replay as a whole one */
	struct replay_playing_job *jobs;
	unsigned int job_count;
};

struct replay_callbacks {
	void *context;
	/* Whether the data on these targets may be destroyed. Asked before anything is written. */
	int (*confirm)(void *context, struct target *const *targets, unsigned int count,
		       struct failure *failure);
	/* Starts and ends what watches the progress of the jobs. The end is called after a failed start, too. */
	int (*progress_start)(void *context, const struct replay_playing *playing,
			      struct failure *failure);
	int (*progress_end)(void *context, struct failure *failure);
	/*
	 * Starts and ends a recording of the targets. Does nothing if none was asked for; the same of the end.
	 * `generated`: the IOs are those of a profile or a job file.
	 */
	int (*record_start)(void *context, struct target *const *targets, unsigned int count,
			    bool generated, struct failure *failure);
	int (*record_end)(void *context, struct failure *failure);
	/* Prints the outcomes, one for each job; they are gone when it returns. */
	int (*report)(void *context, struct replay_outcome *outcomes, unsigned int count,
		      struct failure *failure);
};

#endif
