/* SPDX-License-Identifier: MIT */
/* Whether starts are near recent ends by chance alone: of 32 ends in a small space one is near any place. */
#ifndef BLKREEL_PROFILE_BUILD_NEAR_BY_CHANCE_H
#define BLKREEL_PROFILE_BUILD_NEAR_BY_CHANCE_H

#include <stdbool.h>

#include "profile/profile.h"

/*
 * Whether `run_distance` is what starts and ends have that are drawn from the zones. `zones`: starts in
 * each zone, which has `zone_blocks` blocks of 4 KiB.
 */
bool is_near_by_chance(const uint64_t run_distance[PROFILE_RUN_DISTANCE_COLUMNS],
		       const uint64_t zones[PROFILE_ZONES], double zone_blocks);

#endif
