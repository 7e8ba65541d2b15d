/* SPDX-License-Identifier: MIT */
/* Keeps the busiest moments while a profile is built: docs/profile-format.md, "pinned_bursts". */
#ifndef BLKREEL_PROFILE_BUILD_PINNED_BURSTS_H
#define BLKREEL_PROFILE_BUILD_PINNED_BURSTS_H

#include "profile/profile.h"

/* Zeros to begin with, but for the level. */
struct pinned_bursts {
	uint32_t level; /* splits of the intervals that are compared, at least 1 */
	uint32_t offered, count;
	struct profile_pinned_burst bursts[PROFILE_PINNED_BURSTS_MAX]; /* by rising window */
};

/* Keeps it if it is among the busiest; its window is above those of all before. */
void pinned_bursts_offer(struct pinned_bursts *k, const struct profile_pinned_burst *burst);

/* At the end: only those go on that stand out. `mean_ios` of an interval of the level. */
void pinned_bursts_choose(struct pinned_bursts *k, double mean_ios);

#endif
