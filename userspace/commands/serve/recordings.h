/* SPDX-License-Identifier: MIT */
/* Looks at the files that appear in a folder, for the recordings that a trigger of a flight recorder
 * wrote. */
#ifndef BLKREEL_COMMANDS_SERVE_RECORDINGS_H
#define BLKREEL_COMMANDS_SERVE_RECORDINGS_H

#include "render/metrics/exemplars.h"

struct recordings;

/* Watches `folder` from now on. Does not own `exemplars`. 0 or negative errno. */
int recordings__create(const char *folder, struct exemplars *exemplars,
		       struct recordings **recordings);
void recordings__free(struct recordings *r); /* NULL is allowed */

/* Becomes readable when there is something to take. */
int recordings__fd(const struct recordings *r);

/* Reads the heads of the files that were completed, without waiting. What is no recording is passed
 * over; what cannot be read is told once. 0 or negative errno: it cannot be watched any more. */
int recordings__take(struct recordings *r);

#endif
