/* SPDX-License-Identifier: MIT */
/* The gaps of an octave as a profile gives them. */
#ifndef BLKREEL_PROFILE_ARRIVAL_GAP_TABLE_H
#define BLKREEL_PROFILE_ARRIVAL_GAP_TABLE_H

#include "profile/prng.h"
#include "profile/profile.h"

/* Draws a gap of this octave. */
uint64_t gap_draw(const struct profile_arrival *a, unsigned int octave, struct prng *random);

/*
 * Draws a gap in [from, to]: the octave by `weights` times `factors` and by its part of the range.
 * Any gap of the range if that is nothing.
 */
uint64_t gap_draw_between(const struct profile_arrival *a, const uint32_t *weights,
			  const uint32_t *factors, uint64_t from, uint64_t to, struct prng *random);

#endif
