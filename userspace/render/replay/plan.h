/* SPDX-License-Identifier: MIT */
/* What a replay would do (--dry-run), for people and as a document (blkreel.replay_plan/1). */
#ifndef BLKREEL_RENDER_REPLAY_PLAN_H
#define BLKREEL_RENDER_REPLAY_PLAN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "replay/session/jobs.h"

/* A job that was prepared. */
struct replay_plan {
	const struct replay_job *job;
	uint64_t rounds;
	bool needs_confirmation; /* --yes-destroy does not name the target */
};

/* New reference. */
json_t *replay_plans_json(const struct replay_plan *plans, unsigned int count);
void replay_plans_text(const struct replay_plan *plans, unsigned int count, FILE *out);

#endif
