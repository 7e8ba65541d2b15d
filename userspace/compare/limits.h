/* SPDX-License-Identifier: MIT */
/* The limits of a gate: --fail-above and --fail-below. Pure. */
#ifndef BLKREEL_COMPARE_LIMITS_H
#define BLKREEL_COMPARE_LIMITS_H

#include "compare/repetitions.h"

#define LIMIT_NAME_MAX 64

struct limit {
	char name[LIMIT_NAME_MAX]; /* of comparison_figure() */
	double limit;
	bool is_floor; /* the figure fails below it, not above */
};

enum limit_outcome {
	LIMIT_PASSED = 0,
	LIMIT_WITHIN_NOISE, /* beyond the limit, but the runs show no difference: passed */
	LIMIT_FAILED,
	LIMIT_NOT_KNOWN, /* a figure that is not known must not pass a gate: failed */
};

struct limit_result {
	const struct limit *limit;
	struct interval figure;
	enum limit_outcome outcome;
};

/* "FIGURE=NUMBER". -EINVAL: it is not, or no such figure. */
int limit__parse(const char *spec, bool is_floor, struct limit *limit);

/*
 * Holds the figure against the limit. Beyond it the figure fails, unless the noise of the runs is
 * known and reaches to the value that says "no difference". Without a verdict only figures of
 * exact.* are known.
 */
void limit__check(const struct limit *limit, const struct repetitions *r,
		  struct limit_result *result);

bool limit_result__is_failure(const struct limit_result *result);
const char *limit_outcome_name(enum limit_outcome outcome); /* as in the JSON document */

#define LIMIT_TEXT_MAX 256

/* "latency.read.p99 is 1.31 (95 % interval 1.22 to 1.40), above the limit of 1.2" */
void limit_result__text(const struct limit_result *result, char text[LIMIT_TEXT_MAX]);

#endif
