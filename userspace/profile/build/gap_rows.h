/* SPDX-License-Identifier: MIT */
/* The rows "gap_after" of a profile out of counts of which gap followed which. */
#ifndef BLKREEL_PROFILE_BUILD_GAP_ROWS_H
#define BLKREEL_PROFILE_BUILD_GAP_ROWS_H

#include <stdint.h>

#include "profile/profile.h"

/*
 * Turns counts of octaves, by the octave of the previous gap, into rows; rare neighbouring octaves
 * share a row. No row if gaps do not depend on the previous gap, or are too few to tell.
 */
void gap_rows_from_counts(const uint64_t counts[PROFILE_GAP_OCTAVES][PROFILE_GAP_OCTAVES],
			  uint32_t rows[PROFILE_GAP_OCTAVES][PROFILE_GAP_OCTAVES]);

#endif
