/* SPDX-License-Identifier: MIT */
/* What is done with the intervals of a replay: progress, a series in a file, the steady state. */
#ifndef BLKREEL_COMMANDS_REPLAY_PROGRESS_H
#define BLKREEL_COMMANDS_REPLAY_PROGRESS_H

#include <pthread.h>
#include <signal.h>
#include <stdio.h>

#include "replay/engine/engine.h"
#include "replay/engine/steady.h"
#include "replay/engine/steady_figure.h"

struct replay_watch_lane;

struct replay_watch {
	uint64_t ios;	      /* of the whole replay */
	uint64_t duration_ns; /* of one with due times, at the speed asked for; else 0 */
	uint64_t round_ns;    /* of series and steady state */
	const char *series_path;
	enum steady_figure figure;
	volatile sig_atomic_t *stop; /* set when it is steady */

	FILE *series;
	struct steady steady;
	struct steady_verdict verdict; /* of the last rounds */
	bool is_steady;
	/* Of several engines: what each told last, under `mutex`. */
	pthread_mutex_t mutex;
	struct replay_watch_lane *lanes;
	unsigned int lane_count;
};

struct replay_watch_lane {
	struct replay_watch *watch;
	const char *source, *target; /* as the series names them */
	uint64_t completed, due_ns, elapsed_ns, late_ns;
	double per_second;
};

/* Sets up the engine to be watched. Prints one line and returns an exit code when that fails. */
int replay_watch_start(struct replay_watch *watch, struct engine_options *engine);

/*
 * The same for several engines, which run at the same time: progress of all of them together, and a
 * series in which each has rows of its own. `mutex`, `lanes` (zero but for their names) and
 * `lane_count` are set; no steady state. First the series is made, then each is set up.
 */
int replay_watch_start_lanes(struct replay_watch *watch);
void replay_watch_start_lane(struct replay_watch *watch, unsigned int lane,
			     struct engine_options *engine);

/* Closes the series. Prints one line and returns an exit code when it is not whole. */
int replay_watch_end(struct replay_watch *watch);

#endif
