/* SPDX-License-Identifier: MIT */
/* Which gaps followed which in a trace, counted, as the rows "gap_after" of a profile. */
#ifndef BLKREEL_PROFILE_BUILD_GAP_ROWS_H
#define BLKREEL_PROFILE_BUILD_GAP_ROWS_H

#include <stdint.h>

#include "profile/profile.h"

/*
 * Octaves of gaps by that of the gap before, as counted, to the rows of a profile: neighbouring octaves that are rare share
 * one. No row where gaps do not depend on the one before, or are too few to tell.
 */
void gap_rows_from_counts(const uint64_t counts[PROFILE_GAP_OCTAVES][PROFILE_GAP_OCTAVES],
			  uint32_t rows[PROFILE_GAP_OCTAVES][PROFILE_GAP_OCTAVES]);

#endif
