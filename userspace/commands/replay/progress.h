/* SPDX-License-Identifier: MIT */
/* What is done with the intervals of a replay: a line of progress, a series in a file, the steady state. */
#ifndef BLKREEL_COMMANDS_REPLAY_PROGRESS_H
#define BLKREEL_COMMANDS_REPLAY_PROGRESS_H

#include <pthread.h>
#include <stdio.h>

#include "replay/engine/steady.h"
#include "replay/engine/steady_figure.h"
#include "replay/session/callbacks.h"

struct progress_job;

struct replay_progress {
	/* Set by the caller: */
	uint64_t round_ns; /* of series and steady state */
	const char *series_path;
	enum steady_figure figure; /* 0: none; else of one job only */

	FILE *series;
	struct steady steady;
	struct steady_verdict verdict;	       /* of the last rounds */
	uint64_t ramp_ns;		       /* rounds that begin earlier are not judged */
	uint64_t ios, duration_ns, runtime_ns; /* as in struct replay_playing */
	volatile sig_atomic_t *enough;
	/* What each of several jobs reported last, under `mutex`. */
	pthread_mutex_t mutex;
	struct progress_job *jobs;
	unsigned int job_count;
};

/*
 * Creates the series, and sets up the engines so that they report. Several jobs share the line of progress, and each has
 * its own rows in the series. 0, or -1 with *failure.
 */
int replay_progress_start(struct replay_progress *p, const struct replay_playing *playing,
			  struct failure *failure);

/* Closes the series. 0, or -1 with *failure when it is incomplete. */
int replay_progress_end(struct replay_progress *p, struct failure *failure);

#endif
