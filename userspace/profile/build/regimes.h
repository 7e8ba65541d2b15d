/* SPDX-License-Identifier: MIT */
/*
 * Regimes: kinds of phases. Phases in which sizes, reuse and places are alike are one regime, and
 * what is counted of them stands in the profile once.
 */
#ifndef BLKREEL_PROFILE_BUILD_REGIMES_H
#define BLKREEL_PROFILE_BUILD_REGIMES_H

#include "profile/build/kinds.h"

/* A third moved few figures, and lengthened the text by a tenth. */
#define REGIMES_MAX 2

struct regimes {
	uint32_t count;
	uint32_t of[PROFILE_PHASES_MAX]; /* the regime of each phase */
	uint32_t first[REGIMES_MAX];	 /* its first phase */
};

/* At most `most` regimes of the kinds that are not folded. 0 or -ENOMEM. */
int regimes_find(const struct stream_kinds *k, uint32_t phases, uint32_t most, struct regimes *r);

#endif
