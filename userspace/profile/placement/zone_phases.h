/* SPDX-License-Identifier: MIT */
/* Where new blocks lie from one phase to another, while that is not the same all the time. */
#ifndef BLKREEL_PROFILE_PLACEMENT_ZONE_PHASES_H
#define BLKREEL_PROFILE_PLACEMENT_ZONE_PHASES_H

#include "profile/profile.h"

/*
 * Fills rows[p] with weights that hold from phase p to the next row, out of how many starts on new
 * blocks fell into each zone in each phase. No rows if all phases are alike, or have too few starts
 * to tell.
 */
void zone_phases_fill(uint32_t counts[PROFILE_PHASES_MAX][PROFILE_ZONES], uint32_t phases,
		      uint32_t rows[PROFILE_PHASES_MAX][PROFILE_ZONES]);

/* The weights of a stream in a phase. */
const uint32_t *zone_phases_row(const struct profile_stream *stream, uint32_t phase);

#endif
