/* SPDX-License-Identifier: MIT */
/* The gaps of an octave as a profile gives them, prepared for drawing. */
#ifndef BLKREEL_PROFILE_ARRIVAL_GAP_TABLE_H
#define BLKREEL_PROFILE_ARRIVAL_GAP_TABLE_H

#include "profile/prng.h"
#include "profile/profile.h"

struct gap_segment {
	uint64_t begin_ns, width_ns; /* width at least 1; each weighs the same */
};

struct gap_table {
	struct gap_octave_segments {
		uint32_t count; /* at least 1 */
		struct gap_segment segments[PROFILE_GAP_WITHIN_MAX];
	} octaves[PROFILE_GAP_OCTAVES];
};

void gap_table_init(struct gap_table *t, const struct profile_arrival *arrival);

/* Draws a gap of this octave. */
uint64_t gap_table_draw(const struct gap_table *t, unsigned int octave, struct prng *random);

/*
 * Draws a gap in [from, to]: the octave by `weights` times `factors` and by its part of the range.
 * Any gap of the range if that is nothing.
 */
uint64_t gap_table_draw_between(const struct gap_table *t, const uint32_t *weights,
				const uint32_t *factors, uint64_t from, uint64_t to,
				struct prng *random);

#endif
