/* SPDX-License-Identifier: MIT */
/* IOs made from a profile and a seed: the same ones each time. */
#ifndef BLKREEL_REPLAY_SOURCE_PROFILE_H
#define BLKREEL_REPLAY_SOURCE_PROFILE_H

#include "replay/source/survey.h"
#include "replay/source/window.h"

struct profile;

/* `profile` must outlive the source, which is to be freed. 0 or negative errno. */
int profile_source__create(const struct profile *profile, uint64_t seed,
			   const struct replay_window *window, struct replay_source **source);

/* Generates all IOs once and counts them. 0; -ERANGE: an address does not fit; other errno. */
int profile_source__survey(const struct profile *profile, uint64_t seed,
			   const struct replay_window *window, struct replay_survey *survey);

#endif
