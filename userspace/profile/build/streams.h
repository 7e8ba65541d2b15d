/* SPDX-License-Identifier: MIT */
/* What was counted of kinds of streams becomes the streams of a profile. */
#ifndef BLKREEL_PROFILE_BUILD_STREAMS_H
#define BLKREEL_PROFILE_BUILD_STREAMS_H

#include "profile/build/kinds.h"

/*
 * Folds rare kinds, finds the regimes, and fills the streams of the profile, the largest first.
 * kind_of[stream]: the kind that it is of; became[kind]: the kind that it was folded into.
 * 0, -ENOMEM or -ERANGE: more spaces and ops than there can be streams.
 */
int stream_kinds_finish(struct stream_kinds *k, struct profile *p,
			uint32_t kind_of[PROFILE_STREAMS_MAX], uint32_t became[STREAM_KINDS_MAX]);

/*
 * Whether `run_distance` is what starts and ends have that are drawn from the zones: of 32 ends in a
 * small space one is near any place. `zones`: starts in each zone, which has `zone_blocks` blocks of
 * 4 KiB.
 */
bool is_near_by_chance(const uint64_t run_distance[PROFILE_RUN_DISTANCE_COLUMNS],
		       const uint64_t zones[PROFILE_ZONES], double zone_blocks);

#endif
