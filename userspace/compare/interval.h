/* SPDX-License-Identifier: MIT */
/*
 * How far a figure of two sets of runs may be from the truth. The figure is the median over all
 * pairs of a run of A and a run of B (Hodges and Lehmann 1963); its interval of 95 % is the
 * bootstrap's, whose percentiles are widened for few runs (Hesterberg 2015, "What Teachers Should
 * Know About the Bootstrap", section 5.3).
 */
#ifndef BLKREEL_COMPARE_INTERVAL_H
#define BLKREEL_COMPARE_INTERVAL_H

#include <stdbool.h>

#define RUNS_MAX 32
/* Fewer runs of a side say nothing about their noise. */
#define INTERVAL_RUNS_MIN 3u

struct interval {
	double value;	  /* the median; NaN: not known of a pair */
	double low, high; /* NaN: fewer than INTERVAL_RUNS_MIN runs of a side */
};

/*
 * `pairs` has a_runs x b_runs values (1 to RUNS_MAX each), those of A's first run first. The same
 * values give the same interval.
 */
struct interval interval_of_pairs(const double *pairs, unsigned int a_runs, unsigned int b_runs);

/* The noise of the runs is known, and it reaches from below `neutral` to above it. */
bool interval__is_noise(const struct interval *interval, double neutral);

/* The median of `count` values (1 to RUNS_MAX), which are sorted. */
double median_of_runs(double *values, unsigned int count);

#endif
