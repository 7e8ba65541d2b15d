/* SPDX-License-Identifier: MIT */
/* How far a profile is from the trace that it was built from. */
#ifndef BLKREEL_RENDER_PROFILE_ERROR_H
#define BLKREEL_RENDER_PROFILE_ERROR_H

#include <stdio.h>

#include "compare/comparison.h"
#include "profile/profile.h"

/* Every figure; `trace` may be NULL when only the profile is at hand. */
void render_profile_error(const struct profile_error *e, const struct workload_figures *trace,
			  FILE *out);

#endif
