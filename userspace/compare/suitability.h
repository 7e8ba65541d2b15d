/* SPDX-License-Identifier: MIT */
/* What a profile is good for, by the figures of its [error]. */
#ifndef BLKREEL_COMPARE_SUITABILITY_H
#define BLKREEL_COMPARE_SUITABILITY_H

#include "profile/profile.h"

enum suitability_use {
	USE_BURSTS = 0,
	USE_SIZES,
	USE_CACHE,
	USE_CACHE_OF_ONE_OP,
	USE_PARTS,
	USE_SEEKS,
	USE_DEPENDENT,
	USES,
};

struct suitability {
	enum {
		SUITABILITY_UNKNOWN, /* none of its figures is known */
		SUITABILITY_GOOD,
		SUITABILITY_NOT,
	} of[USES];
	/* Its figures whose median is beyond the limit, and the furthest of these. */
	unsigned int beyond_count[USES];
	unsigned int beyond[USES][PROFILE_ALL_FIGURES];
	unsigned int furthest[USES];
};

void suitability_judge(const struct profile_error *error, struct suitability *s);

const char *suitability_use_name(enum suitability_use use); /* as in JSON */
const char *suitability_use_text(enum suitability_use use); /* for people */

const char *suitability_figure_name(unsigned int figure);  /* as in JSON */
const char *suitability_figure_label(unsigned int figure); /* for people */

#endif
