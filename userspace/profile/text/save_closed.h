/* SPDX-License-Identifier: MIT */
/* Writes [closed] and [tasks N]. */
#ifndef BLKREEL_PROFILE_TEXT_SAVE_CLOSED_H
#define BLKREEL_PROFILE_TEXT_SAVE_CLOSED_H

#include "profile/profile.h"

/* Nothing if the profile has no closed loop. */
void save_closed(const struct profile *p, FILE *out);

#endif
