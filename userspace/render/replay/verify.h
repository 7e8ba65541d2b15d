/* SPDX-License-Identifier: MIT */
/* What replay --verify found, for people and as a document (blkreel.verify/1). */
#ifndef BLKREEL_RENDER_REPLAY_VERIFY_H
#define BLKREEL_RENDER_REPLAY_VERIFY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "replay/verify/stamp_state.h"
#include "replay/target/target.h"
#include "replay/verify/verifier.h"

struct verify_outcome {
	const char *source_path;
	const struct target_info *target;
	const struct stamp_state *state;
	uint64_t required; /* writes up to this number had to be there */
	bool durable_only; /* these are the ones that were flushed, else all that completed */
	const struct verifier_result *result;
};

/* New reference. */
json_t *verify_outcome_json(const struct verify_outcome *o);
void verify_outcome_text(const struct verify_outcome *o, FILE *out);

#endif
