/* SPDX-License-Identifier: MIT */
/*
 * The lanes of a replay: one source device onto one target each, all on one clock. Two lanes may
 * have the same source or the same target.
 */
#ifndef BLKREEL_COMMANDS_REPLAY_LANES_H
#define BLKREEL_COMMANDS_REPLAY_LANES_H

#include "commands/replay/chain.h"
#include "commands/replay/config.h"
#include "commands/replay/input.h"
#include "replay/plan/plan.h"

struct replay_lane {
	struct replay_input *input;
	const char *target_path;
	struct target *target; /* of `targets` */
	struct plan_options plan_options;
	struct plan_request request;
	struct footprint *footprint;
	struct plan plan;
};

struct replay_lanes {
	unsigned int count, target_count;
	struct replay_lane items[OPTION_LIST_MAX];
	struct target *targets[OPTION_LIST_MAX]; /* each once */
};

/*
 * Decides for each lane whether it may be played, opens and confirms the targets, and plans. The
 * `input` and `target_path` of each are set. Prints one line and returns an exit code when that
 * fails; nothing has been written then. To be closed in any case.
 */
int replay_lanes_prepare(const struct replay_config *config, struct replay_lanes *lanes);

/* `played`: targets that were made stay. */
void replay_lanes_close(struct replay_lanes *lanes, bool played);

#endif
