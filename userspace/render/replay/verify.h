/* SPDX-License-Identifier: MIT */
/* What replay --verify found, for people and as a document (blkreel.verify/1). */
#ifndef BLKREEL_RENDER_REPLAY_VERIFY_H
#define BLKREEL_RENDER_REPLAY_VERIFY_H

#include <jansson.h>
#include <stdio.h>

#include "replay/session/outcome.h"

/* New reference. */
json_t *verify_outcome_json(const struct verify_outcome *o);
void verify_outcome_text(const struct verify_outcome *o, FILE *out);

#endif
