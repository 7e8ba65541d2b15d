/* SPDX-License-Identifier: MIT */
/*
 * Tables that contradict what a person edited are left out: `size_class` that counts other IOs than
 * `sizes`, and the feedback of [addresses] if `reuse` is not what was written with it.
 */
#ifndef BLKREEL_PROFILE_TEXT_EDITS_H
#define BLKREEL_PROFILE_TEXT_EDITS_H

#include "profile/profile.h"

/* Check sum of the `sizes` of all streams. */
uint32_t edits_sizes_check(const struct profile *p);

/* Check sum of the `reuse` rows of a space's streams. */
uint32_t edits_reuse_check(const struct profile *p, uint32_t space);

/*
 * Leaves out what an edit contradicts and says so in p->edits. Without a check sum in the text
 * nothing counts as edited.
 */
void edits_win(struct profile *p);

#endif
