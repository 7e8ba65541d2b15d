// SPDX-License-Identifier: MIT
/* What chance alone gives: mean, variance and single chances against the formulas. */
#include <math.h>
#include <string.h>

#include "profile/random_share.h"
#include "unit/shared/test.h"

#define DRAWS 200000

static struct prng prng;

/* Mean and variance of many draws against those of the distribution, within five deviations. */
static void check_moments(uint64_t ios, uint64_t marked, uint64_t part)
{
	double mean = (double)marked * (double)part / (double)ios, sum = 0, squares = 0;
	double variance = random_share_variance(ios, marked, part);

	for (unsigned int i = 0; i < DRAWS; i++) {
		uint64_t drawn = random_share(ios, marked, part, &prng);
		double off = (double)drawn - mean;

		REQUIRE(drawn <= marked && drawn <= part);
		REQUIRE(marked - drawn <= ios - part);
		sum += off;
		squares += off * off;
	}
	CHECK(fabs(sum / DRAWS) <= 5 * sqrt(variance / DRAWS) + 1e-9);
	CHECK(fabs(squares / DRAWS - variance) <= 0.03 * variance + 1e-9);
}

static void shares_have_the_right_moments(void)
{
	static const uint64_t cases[][3] = {
		{2, 1, 1},
		{10, 3, 4},
		{10, 10, 4},
		{10, 0, 4},
		{40, 33, 35},
		{1000, 333, 500},
		{1000, 666, 510},
		{1000, 40, 900},
		{3000000, 1000000, 1500000},
		{1ull << 40, 1ull << 39, 1ull << 38},
	};

	prng_seed(&prng, 1);
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_moments(cases[i][0], cases[i][1], cases[i][2]);
}

/* Two of four IOs are marked; two are drawn: none is marked in 1/6, one in 4/6, both in 1/6. */
static void few_are_drawn_exactly(void)
{
	unsigned int counts[3] = {0};

	prng_seed(&prng, 2);
	for (unsigned int i = 0; i < 60000; i++)
		counts[random_share(4, 2, 2, &prng)]++;
	CHECK(counts[0] > 9500 && counts[0] < 10500);
	CHECK(counts[1] > 39300 && counts[1] < 40700);
}

static void check_halves(uint64_t n)
{
	double sum = 0, squares = 0;

	for (unsigned int i = 0; i < DRAWS; i++) {
		uint64_t half = random_half(n, &prng);
		double off = (double)half - (double)n / 2;

		REQUIRE(half <= n);
		sum += off;
		squares += off * off;
	}
	CHECK(fabs(sum / DRAWS) <= 5 * sqrt((double)n / 4 / DRAWS));
	CHECK(fabs(squares / DRAWS - (double)n / 4) <= 0.03 * (double)n / 4);
}

static void halves_have_the_right_moments(void)
{
	static const uint64_t numbers[] = {1, 2, 63, 64, 65, 4095, 4096, 4097, 1000000, 1ull << 40};

	prng_seed(&prng, 3);
	for (unsigned int i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		check_halves(numbers[i]);
	CHECK_EQ(random_half(0, &prng), 0);
}

/* Splits of 1000 IOs at random, and splits that lie twice as far from even. */
static void chance_is_recognized(void)
{
	struct chance_sums random = {0}, uneven = {0}, even = {0}, none = {0};

	prng_seed(&prng, 4);
	for (unsigned int i = 0; i < 500; i++) {
		double off = 2 * (double)random_half(1000, &prng) - 1000;

		chance_sums_add(&random, off, 1000);
		chance_sums_add(&uneven, 2 * off, 1000);
		chance_sums_add(&even, off / 2, 1000);
	}
	CHECK(looks_random(&random));
	CHECK(!looks_random(&uneven));
	CHECK(!looks_random(&even));
	CHECK(looks_random(&none));
}

int main(void)
{
	RUN(shares_have_the_right_moments);
	RUN(few_are_drawn_exactly);
	RUN(halves_have_the_right_moments);
	RUN(chance_is_recognized);
	return TEST_RESULT;
}
