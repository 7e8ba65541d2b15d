// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdint.h>

#include "compare/interval.h"
#include "unit/shared/test.h"

/* All ratios of the runs of B to those of A. */
static struct interval of_runs(const double *a, unsigned int a_runs, const double *b,
			       unsigned int b_runs)
{
	double pairs[RUNS_MAX * RUNS_MAX];

	for (unsigned int i = 0; i < a_runs; i++)
		for (unsigned int j = 0; j < b_runs; j++)
			pairs[i * b_runs + j] = b[j] / a[i];
	return interval_of_pairs(pairs, a_runs, b_runs);
}

static void two_runs_have_no_interval(void)
{
	const double a[] = {1, 2}, b[] = {2, 2, 2};
	struct interval interval = of_runs(a, 2, b, 3);

	CHECK(interval.value == 1.5); /* 2, 2, 2, 1, 1, 1 */
	CHECK(isnan(interval.low) && isnan(interval.high));
	CHECK(!interval__is_noise(&interval, 1));
}

/* With three runs of each side the widened tails hold everything that was seen. */
static void three_runs_reach_from_the_least_to_the_most(void)
{
	const double a[] = {100, 110, 120}, b[] = {105, 115, 130};
	struct interval interval = of_runs(a, 3, b, 3);

	CHECK(fabs(interval.low - 105.0 / 120) < 1e-12);
	CHECK(fabs(interval.high - 130.0 / 100) < 1e-12);
	CHECK(fabs(interval.value - 105.0 / 100) < 1e-12);
	CHECK(interval__is_noise(&interval, 1));
	CHECK(!interval__is_noise(&interval, 1.31));
}

static void a_value_that_is_not_known_makes_the_figure_unknown(void)
{
	const double pairs[] = {1, NAN, 1, 1, 1, 1, 1, 1, 1};
	struct interval interval = interval_of_pairs(pairs, 3, 3);

	CHECK(isnan(interval.value));
	CHECK(!interval__is_noise(&interval, 1));
}

/* A sum of twelve uniform numbers is nearly normal. */
static double normal(uint64_t *state)
{
	double sum = -6;

	for (unsigned int i = 0; i < 12; i++) {
		*state = *state * 6364136223846793005ull + 1442695040888963407ull;
		sum += (double)(*state >> 11) / 9007199254740992.0;
	}
	return sum;
}

/* Runs of one device: the interval of 95 % holds the true ratio, 1, in about 95 of 100 cases. */
static void the_interval_holds_the_truth(unsigned int runs)
{
	unsigned int held = 0;
	uint64_t state = runs;

	for (unsigned int trial = 0; trial < 300; trial++) {
		double a[RUNS_MAX], b[RUNS_MAX];
		struct interval interval;

		for (unsigned int i = 0; i < runs; i++) {
			a[i] = 1000 + 30 * normal(&state);
			b[i] = 1000 + 30 * normal(&state);
		}
		interval = of_runs(a, runs, b, runs);
		held += interval__is_noise(&interval, 1);
	}
	if (held < 275)
		printf("# %u of 300 with %u runs\n", held, runs);
	CHECK(held >= 275);
}

static void medians(void)
{
	double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2};

	CHECK(median_of_runs(odd, 3) == 2);
	CHECK(median_of_runs(even, 4) == 2.5);
}

static void intervals_of_4_7_and_10_runs_hold_the_truth(void)
{
	for (unsigned int runs = 4; runs <= 10; runs += 3)
		the_interval_holds_the_truth(runs);
}

int main(void)
{
	RUN(two_runs_have_no_interval);
	RUN(three_runs_reach_from_the_least_to_the_most);
	RUN(a_value_that_is_not_known_makes_the_figure_unknown);
	RUN(intervals_of_4_7_and_10_runs_hold_the_truth);
	RUN(medians);
	return TEST_RESULT;
}
