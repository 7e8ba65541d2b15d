/* SPDX-License-Identifier: MIT */
/* Profiles that are generated side by side, the shorter ones over and over until the longest ends. */
#ifndef BLKREEL_PROFILE_OPERATIONS_COMBINATION_H
#define BLKREEL_PROFILE_OPERATIONS_COMBINATION_H

#include "profile/operations/operations.h"

struct combination;

/*
 * Generates all once and notes what a builder has to know of the IOs in [from_ns, to_ns). `parts` must stay until
 * combination__free(). Errors as of profile__combine().
 */
int combination__survey(const struct profile_part *parts, unsigned int count, uint64_t from_ns,
			uint64_t to_ns, struct combination **combination);

/*
 * Generates them again and builds a profile with 2^window_shift times fewer windows and phases
 * (to PROFILE_WINDOW_SHIFT_MAX). *profile is to be freed. 0, -ENOMEM, -ERANGE (beyond what a profile can say).
 */
int combination__build(struct combination *c, unsigned int window_shift, struct profile **profile);

void combination__free(struct combination *c);

#endif
