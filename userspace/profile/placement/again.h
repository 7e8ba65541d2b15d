/* SPDX-License-Identifier: MIT */
/* Places for requests that touch again what was touched before. */
#ifndef BLKREEL_PROFILE_PLACEMENT_AGAIN_H
#define BLKREEL_PROFILE_PLACEMENT_AGAIN_H

#include "profile/placement/state.h"

/*
 * Sets row->sector for row->bytes to a start of the same size near the wanted age, else to a block
 * of that age. False: neither is a place for it; row->sector may have changed.
 */
bool place_again(const struct placement *s, const struct wanted *wanted, struct prng *random,
		 struct io_row *row, const struct recent_ends *ends);

#endif
