// SPDX-License-Identifier: MIT
/* The histogram against a sorted array of the same values. */
#include "base/histogram.h"
#include "unit/shared/test.h"

static struct histogram h, other;

static void test_empty(void)
{
	struct distribution d;

	histogram_init(&h);
	histogram_distribution(&h, &d);
	CHECK(!d.count && !d.min && !d.max && !d.p50 && d.mean == 0);
}

static void test_small_values_are_exact(void)
{
	histogram_init(&h);
	for (uint64_t value = 1; value <= 100; value++)
		histogram_add(&h, value);
	CHECK_EQ(histogram_percentile(&h, 0), 1);
	CHECK_EQ(histogram_percentile(&h, 1), 1);
	CHECK_EQ(histogram_percentile(&h, 50), 50);
	CHECK_EQ(histogram_percentile(&h, 99), 99);
	CHECK_EQ(histogram_percentile(&h, 100), 100);
	CHECK(histogram_mean(&h) == 50.5);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void test_error_is_below_its_promise(void)
{
	static uint64_t values[10000];
	static const unsigned int pcts[] = {1, 10, 25, 50, 75, 90, 99};
	uint64_t state = 7;

	histogram_init(&h);
	for (int i = 0; i < 10000; i++) {
		state = state * 6364136223846793005ull + 1442695040888963407ull;
		values[i] = state >> (state % 61);
		histogram_add(&h, values[i]);
	}
	qsort(values, 10000, sizeof(values[0]), compare);
	for (size_t i = 0; i < sizeof(pcts) / sizeof(pcts[0]); i++) {
		double exact = (double)values[pcts[i] * 100 - 1];
		double got = (double)histogram_percentile(&h, pcts[i]);

		CHECK(got >= exact * 0.992 && got <= exact * 1.008);
	}
	CHECK(h.min == values[0] && h.max == values[9999]);
}

static void test_largest_value(void)
{
	histogram_init(&h);
	histogram_add(&h, UINT64_MAX);
	histogram_add(&h, 0);
	CHECK(histogram_percentile(&h, 100) == UINT64_MAX);
	CHECK_EQ(histogram_percentile(&h, 50), 0);
}

static void test_merge(void)
{
	histogram_init(&h);
	histogram_init(&other);
	histogram_add(&h, 10);
	histogram_add(&other, 5);
	histogram_add(&other, 70);
	histogram_merge(&h, &other);
	CHECK_EQ(h.count, 3);
	CHECK(h.min == 5 && h.max == 70 && h.sum == 85);
	CHECK_EQ(histogram_percentile(&h, 50), 10);
	histogram_init(&other);
	histogram_merge(&h, &other);
	CHECK(h.count == 3 && h.min == 5 && h.max == 70);
}

static void test_what_is_taken_out(void)
{
	histogram_init(&h);
	histogram_init(&other);
	for (uint64_t value = 1; value <= 1000; value++)
		histogram_add(value % 3 ? &h : &other, value);
	histogram_merge(&h, &other);
	histogram_take_out(&h, &other);
	CHECK_EQ(h.count, 667);
	CHECK_EQ(h.min, 1);
	CHECK_EQ(h.max, 1000);
	CHECK(h.sum == 1000 * 1001 / 2.0 - 3 * 333 * 334 / 2.0);
	histogram_add(&h, 1ull << 40);
	histogram_init(&other);
	histogram_add(&other, 1);
	histogram_add(&other, 1ull << 40);
	histogram_take_out(&h, &other);
	CHECK_EQ(h.count, 666);
	CHECK_EQ(h.min, 2);
	CHECK(h.max >= 992 && h.max <= 1007);
	CHECK(histogram_percentile(&h, 50) >= 496 && histogram_percentile(&h, 50) <= 504);
	other = h;
	histogram_take_out(&h, &other);
	CHECK_EQ(h.count, 0);
	CHECK_EQ(histogram_percentile(&h, 100), 0);
}

/* 999 of 100 and one of 10,000: nearly all lie below the last one. */
static void a_percentile_of_a_round_number_is_no_rank_higher(void)
{
	static const uint64_t counts[] = {1000, 2000, 10000, 1000000, 1000000000};

	histogram_init(&h);
	histogram_add_many(&h, 100, 999);
	histogram_add(&h, 10000);
	CHECK_EQ(histogram_percentile(&h, 99.9), 100);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		CHECK_EQ(percentile_rank(counts[i], 99.9), counts[i] / 1000 * 999);
		CHECK_EQ(percentile_rank(counts[i] + 1, 99.9), counts[i] / 1000 * 999 + 1);
		CHECK_EQ(percentile_rank(counts[i], 90), counts[i] / 10 * 9);
		CHECK_EQ(percentile_rank(counts[i], 100), counts[i]);
	}
	CHECK_EQ(percentile_rank(0, 50), 0);
	CHECK_EQ(percentile_rank(3, 0), 0);
}

int main(void)
{
	RUN(test_empty);
	RUN(test_small_values_are_exact);
	RUN(test_error_is_below_its_promise);
	RUN(test_largest_value);
	RUN(test_merge);
	RUN(test_what_is_taken_out);
	RUN(a_percentile_of_a_round_number_is_no_rank_higher);
	return TEST_RESULT;
}
