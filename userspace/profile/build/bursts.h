/* SPDX-License-Identifier: MIT */
/* Keeps the busiest moments while a profile is built: docs/profile-format.md, "bursts". */
#ifndef BLKREEL_PROFILE_BUILD_BURSTS_H
#define BLKREEL_PROFILE_BUILD_BURSTS_H

#include "profile/profile.h"

/* Zeros to begin with, but for the level. */
struct kept_bursts {
	uint32_t level; /* halvings of the intervals that are compared, at least 1 */
	uint32_t offered, count;
	struct profile_burst bursts[PROFILE_BURSTS_MAX]; /* by rising window */
};

/* Keeps it if it is among the busiest; its window is above those of all before. */
void kept_bursts_offer(struct kept_bursts *k, const struct profile_burst *burst);

/* At the end: only those go on that stand out. `mean_ios` of an interval of the level. */
void kept_bursts_choose(struct kept_bursts *k, double mean_ios);

#endif
