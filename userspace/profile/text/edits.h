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

/* Check sums in a text, and whether it has them. Without one nothing counts as edited. */
struct edit_checks {
	bool has_sizes, has_reuse[PROFILE_SPACES_MAX];
	uint32_t sizes, reuse[PROFILE_SPACES_MAX];
};

/* Leaves out what an edit contradicts and says so in p->edits. */
void edits_win(struct profile *p, const struct edit_checks *checks);

#endif
