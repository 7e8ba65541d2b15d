/* SPDX-License-Identifier: MIT */
/*
 * Whether a device has reached its steady state, by both criteria of the SNIA's performance test
 * specification: over a window of rounds, the values differ by at most 20 % of their mean, and the
 * straight line through them changes by at most 10 % of it. Pure.
 */
#ifndef BLKREEL_REPLAY_ENGINE_STEADY_H
#define BLKREEL_REPLAY_ENGINE_STEADY_H

#include <stdbool.h>
#include <stdint.h>

#define STEADY_WINDOW	     5u
#define STEADY_RANGE_MAX_PCT 20.0
#define STEADY_SLOPE_MAX_PCT 10.0

struct steady {
	uint64_t rounds;
	double values[STEADY_WINDOW]; /* of the last rounds, by rounds % STEADY_WINDOW */
};

/* Of the last STEADY_WINDOW rounds. */
struct steady_verdict {
	bool reached;
	double mean;
	double range_pct; /* highest - lowest, in % of the mean */
	double slope_pct; /* of the line of least squares, from the first round to the last */
};

/* Adds the figure of a round. */
void steady__add(struct steady *s, double value);

/*
 * Judges the last rounds. Before STEADY_WINDOW rounds, or with a mean of 0, the state is not
 * reached and the figures are 0.
 */
void steady__judge(const struct steady *s, struct steady_verdict *verdict);

#endif
