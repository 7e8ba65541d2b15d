/* SPDX-License-Identifier: MIT */
/* Plays the jobs of a replay, each by an engine of its own. */
#ifndef BLKREEL_REPLAY_SESSION_PLAY_H
#define BLKREEL_REPLAY_SESSION_PLAY_H

#include "replay/session/jobs.h"

/*
 * Plays jobs that were prepared, and reports the outcome to `callbacks`. SIGINT, SIGTERM, SIGXCPU and SIGHUP end the replay;
 * one that comes more than a second after the first kills the process. *played: IOs were submitted, or none had to be. 0;
 * -1 with *failure, also when IOs failed, a signal came, or the trace was cut.
 */
int replay_jobs_play(const struct replay_options *options, const struct replay_jobs *jobs,
		     const struct replay_callbacks *callbacks, bool *played,
		     struct failure *failure);

#endif
