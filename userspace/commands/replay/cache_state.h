/* SPDX-License-Identifier: MIT */
/* replay --buffered: the page cache of the targets, before the replay and after it. */
#ifndef BLKREEL_COMMANDS_REPLAY_CACHE_STATE_H
#define BLKREEL_COMMANDS_REPLAY_CACHE_STATE_H

#include "commands/replay/lanes.h"
#include "render/replay/replay.h"

/* What is wrong with the words --buffered, --cache and --memory without --files, or NULL. */
const char *replay_cache_usage(const struct replay_config *config);

struct replay_cache {
	bool asked;					 /* --buffered */
	struct replay_buffered targets[OPTION_LIST_MAX]; /* as those of the lanes */
};

/*
 * Brings the cache of each target into the state asked for; with --memory, the process is in its
 * control group from then on, which goes when the process ends. Without --buffered it does nothing.
 * Prints one line and returns an exit code when that fails.
 */
int replay_cache_start(const struct replay_config *config, const struct replay_lanes *lanes,
		       struct replay_cache *cache);

/* Syncs what was written. The same. */
int replay_cache_end(struct replay_cache *cache, const struct replay_lanes *lanes);

/* Of the lane's target; NULL without --buffered. */
const struct replay_buffered *replay_cache_of(const struct replay_cache *cache,
					      const struct replay_lanes *lanes,
					      const struct replay_lane *lane);

#endif
