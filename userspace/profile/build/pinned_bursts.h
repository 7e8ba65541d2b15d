/* SPDX-License-Identifier: MIT */
/* Chooses the pinned bursts of a profile: docs/profile-format.md, "pinned_bursts". */
#ifndef BLKREEL_PROFILE_BUILD_PINNED_BURSTS_H
#define BLKREEL_PROFILE_BUILD_PINNED_BURSTS_H

#include "profile/profile.h"

/* Zeros at first, but for the level. */
struct pinned_bursts {
	uint32_t level; /* split level of the intervals that are compared, at least 1 */
	uint32_t offered, count;
	struct profile_pinned_burst bursts[PROFILE_PINNED_BURSTS_MAX]; /* by rising window */
};

/* Keeps the burst if it is among the busiest; its window is above all earlier ones. */
void pinned_bursts_offer(struct pinned_bursts *k, const struct profile_pinned_burst *burst);

/* At the end: keeps the bursts that stand out. `mean_ios`: of an interval of the level. */
void pinned_bursts_choose(struct pinned_bursts *k, double mean_ios);

#endif
