// SPDX-License-Identifier: MIT
#include "compare/interval.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define RESAMPLES 10000u

struct pair {
	double value;
	unsigned int a, b; /* the runs */
};

static int compare_pairs(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;

	return (a->value > b->value) - (a->value < b->value);
}

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

double median_of_runs(double *values, unsigned int count)
{
	qsort(values, count, sizeof(*values), compare_doubles);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* Splitmix64 (Steele, Lea, Flood 2014): the interval must not change from call to call. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static void draw(uint64_t *state, unsigned int runs, unsigned int weights[RUNS_MAX])
{
	for (unsigned int i = 0; i < runs; i++)
		weights[i] = 0;
	for (unsigned int i = 0; i < runs; i++)
		weights[next_random(state) % runs]++;
}

/* The median of sorted pairs, each as often as both of its runs were drawn. */
static double weighted_median(const struct pair *pairs, unsigned int count, unsigned int total,
			      const unsigned int *a_weights, const unsigned int *b_weights)
{
	unsigned int below = 0;
	double lower = NAN;

	for (unsigned int i = 0; i < count; i++) {
		unsigned int weight = a_weights[pairs[i].a] * b_weights[pairs[i].b];

		if (!weight)
			continue;
		below += weight;
		if (!isnan(lower))
			return (lower + pairs[i].value) / 2;
		if (2 * below > total)
			return pairs[i].value;
		if (2 * below == total)
			lower = pairs[i].value;
	}
	return lower;
}

/* Student's t, 97.5 %, by degrees of freedom from 2. */
static const double student_t[] = {4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262,
				   2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110,
				   2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060,
				   2.056, 2.052, 2.048, 2.045, 2.042, 2.040};

/* The share of the resamples below the interval, and above it: that of a normal distribution
 * beyond t * sqrt(n / (n - 1)). */
static double tail_share(unsigned int runs)
{
	double t = student_t[runs - INTERVAL_RUNS_MIN];

	return erfc(t * sqrt(runs / (runs - 1.0)) / sqrt(2)) / 2;
}

static void resample(const struct pair *pairs, unsigned int a_runs, unsigned int b_runs,
		     struct interval *interval)
{
	static double medians[RESAMPLES];
	unsigned int a_weights[RUNS_MAX], b_weights[RUNS_MAX], tail;
	uint64_t state = 1;

	for (unsigned int i = 0; i < RESAMPLES; i++) {
		draw(&state, a_runs, a_weights);
		draw(&state, b_runs, b_weights);
		medians[i] = weighted_median(pairs, a_runs * b_runs, a_runs * b_runs, a_weights,
					     b_weights);
	}
	qsort(medians, RESAMPLES, sizeof(medians[0]), compare_doubles);
	tail = (unsigned int)(tail_share(a_runs < b_runs ? a_runs : b_runs) * RESAMPLES);
	interval->low = medians[tail];
	interval->high = medians[RESAMPLES - 1 - tail];
}

struct interval interval_of_pairs(const double *values, unsigned int a_runs, unsigned int b_runs)
{
	struct interval interval = {NAN, NAN, NAN};
	struct pair pairs[RUNS_MAX * RUNS_MAX];
	unsigned int count = a_runs * b_runs;

	for (unsigned int i = 0; i < count; i++) {
		if (isnan(values[i]))
			return interval;
		pairs[i] = (struct pair){values[i], i / b_runs, i % b_runs};
	}
	qsort(pairs, count, sizeof(pairs[0]), compare_pairs);
	interval.value = (pairs[(count - 1) / 2].value + pairs[count / 2].value) / 2;
	if (a_runs >= INTERVAL_RUNS_MIN && b_runs >= INTERVAL_RUNS_MIN)
		resample(pairs, a_runs, b_runs, &interval);
	return interval;
}

bool interval__is_noise(const struct interval *interval, double neutral)
{
	return interval->low <= neutral && interval->high >= neutral;
}
