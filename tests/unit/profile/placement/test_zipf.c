// SPDX-License-Identifier: MIT
/* Zipf's distribution against the C library's pow(), and that each rank has a place of its own. */
#include <math.h>
#include <stdlib.h>

#include "profile/placement/zipf.h"
#include "unit/shared/test.h"

#define DRAWS 400000u

static struct zipf zipf;

/* The share of the ranks below `end`. */
static double share_below(uint64_t end, uint64_t count, double exponent)
{
	double part = 0, sum = 0;

	for (uint64_t i = count; i > 0; i--) {
		sum += pow((double)i, -exponent);
		if (i == end + 1)
			part = sum;
	}
	return 1 - part / sum;
}

static double drawn_below(uint64_t end)
{
	unsigned int below = 0;
	struct prng random;

	prng_seed(&random, 7);
	for (unsigned int i = 0; i < DRAWS; i++) {
		uint64_t rank = zipf_draw(&zipf, &random);

		CHECK(rank < zipf.count);
		below += rank < end;
	}
	return (double)below / DRAWS;
}

static void shares_are_those_of_the_formula(void)
{
	static const uint64_t ends[] = {1, 2, 10, 64, 100, 1000, 40000, 300000};
	static const uint32_t exponents[] = {1, 500, 900, 1000, 1200, 2000};
	const uint64_t count = 524288;

	for (unsigned int e = 0; e < sizeof(exponents) / sizeof(exponents[0]); e++) {
		zipf_init(&zipf, count, exponents[e]);
		for (unsigned int i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
			double share = share_below(ends[i], count, exponents[e] / 1000.0);
			double deviation = sqrt(share * (1 - share) / DRAWS);

			CHECK(fabs(drawn_below(ends[i]) - share) <= 5 * deviation + 2e-4);
		}
	}
}

static void cells_weigh_what_the_formula_says(void)
{
	double sum = 0, total;

	zipf_init(&zipf, 1 << 20, 900);
	total = (double)zipf.sums[zipf.cells - 1];
	for (uint64_t i = 1 << 20; i > 0; i--)
		sum += pow((double)i, -0.9);
	for (unsigned int i = 0; i < 64; i++) {
		double weight = (double)(zipf.sums[i] - (i ? zipf.sums[i - 1] : 0));

		CHECK(fabs(weight / total * sum * pow(i + 1, 0.9) - 1) < 4e-4);
	}
}

static void one_rank_and_the_largest_range_are_drawn(void)
{
	struct prng random;

	prng_seed(&random, 1);
	zipf_init(&zipf, 1, 900);
	CHECK(zipf_draw(&zipf, &random) == 0);
	CHECK(zipf_scatter(0, 1) == 0);
	for (uint32_t exponent = 1; exponent <= 4000; exponent += 1333) {
		zipf_init(&zipf, 1ull << 51, exponent);
		REQUIRE(zipf.cells <= ZIPF_CELLS_MAX);
		for (unsigned int i = 0; i < 1000; i++)
			REQUIRE(zipf_draw(&zipf, &random) < 1ull << 51);
	}
}

static void each_rank_has_a_place_of_its_own(void)
{
	static const uint64_t counts[] = {1, 2, 3, 4, 5, 7, 8, 100, 1000, 4096, 65537, 300001};
	char *taken = malloc(300001);

	REQUIRE(taken);
	for (unsigned int i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		for (uint64_t place = 0; place < counts[i]; place++)
			taken[place] = 0;
		for (uint64_t rank = 0; rank < counts[i]; rank++) {
			uint64_t place = zipf_scatter(rank, counts[i]);

			REQUIRE(place < counts[i]);
			REQUIRE(!taken[place]);
			taken[place] = 1;
		}
	}
	free(taken);
}

int main(void)
{
	RUN(shares_are_those_of_the_formula);
	RUN(cells_weigh_what_the_formula_says);
	RUN(one_rank_and_the_largest_range_are_drawn);
	RUN(each_rank_has_a_place_of_its_own);
	return TEST_RESULT;
}
