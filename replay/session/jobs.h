/* SPDX-License-Identifier: MIT */
/*
 * The jobs of a replay. A job plays one source device onto one target; all jobs share one clock. Two jobs may have the
 * same source or the same target.
 */
#ifndef BLKREEL_REPLAY_SESSION_JOBS_H
#define BLKREEL_REPLAY_SESSION_JOBS_H

#include "replay/plan/plan.h"
#include "replay/session/callbacks.h"
#include "replay/session/chain.h"
#include "replay/session/failure.h"
#include "replay/session/input.h"
#include "replay/session/options.h"

struct replay_job {
	struct replay_input *input;
	const char *target_path;
	struct target *target; /* one of `targets` */
	struct plan_options plan_options;
	struct plan_request request;
	struct footprint *footprint;
	struct plan plan;
};

struct replay_jobs {
	unsigned int count, target_count;
	struct replay_job items[OPTION_LIST_MAX];
	struct target *targets[OPTION_LIST_MAX]; /* each once */
};

/*
 * Decides for each job whether it may be played, opens the targets, has them confirmed, and plans. The `input` and
 * `target_path` of each job are set. 0; -1 with *failure: nothing has been written. To be closed in any case.
 */
int replay_jobs_prepare(const struct replay_options *options, struct replay_jobs *jobs,
			const struct replay_callbacks *callbacks, struct failure *failure);

/* `played`: targets that were created stay. */
void replay_jobs_close(struct replay_jobs *jobs, bool played);

#endif
