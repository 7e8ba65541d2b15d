/* SPDX-License-Identifier: MIT */
/* replay --buffered: the page cache of the targets, before the replay and after it. */
#ifndef BLKREEL_REPLAY_SESSION_CACHE_STATE_H
#define BLKREEL_REPLAY_SESSION_CACHE_STATE_H

#include "replay/session/failure.h"
#include "replay/session/jobs.h"
#include "replay/session/outcome.h"

struct replay_cache {
	bool asked;					 /* --buffered */
	struct replay_buffered targets[OPTION_LIST_MAX]; /* in the order of the jobs' targets */
};

/*
 * Brings the cache of each target into the state of options->cache. With a memory limit, the process enters a control
 * group, which is removed when the process ends. Without options->buffered it does nothing. 0, or -1 with *failure.
 */
int replay_cache_start(const struct replay_options *options, const struct replay_jobs *jobs,
		       struct replay_cache *cache, struct failure *failure);

/* Syncs the targets that were written, and measures that. 0, or -1 with *failure. */
int replay_cache_end(struct replay_cache *cache, const struct replay_jobs *jobs,
		     struct failure *failure);

/* Of the job's target; NULL without options->buffered. */
const struct replay_buffered *replay_cache_of(const struct replay_cache *cache,
					      const struct replay_jobs *jobs,
					      const struct replay_job *job);

#endif
