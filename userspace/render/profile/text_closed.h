/* SPDX-License-Identifier: MIT */
/* Who waits for what in a profile. */
#ifndef BLKREEL_RENDER_PROFILE_TEXT_CLOSED_H
#define BLKREEL_RENDER_PROFILE_TEXT_CLOSED_H

#include <jansson.h>
#include <stdio.h>

#include "profile/profile.h"

void render_profile_closed(const struct profile *p, FILE *out); /* nothing where it is not known */
json_t *render_profile_closed_json(const struct profile *p);	/* null where it is not known */

/* Of both side by side; nothing where neither is known. */
void render_profile_diff_closed(const struct profile *a, const struct profile *b, FILE *out);

#endif
