// SPDX-License-Identifier: MIT
/* Log-linear buckets: no value is lost between two of them, and what a percentile is worth. */
#include "base/loglinear.h"
#include "unit/shared/test.h"

static const struct loglinear scale = {256, 3, 240};

static void test_every_value_lies_in_its_bucket(void)
{
	for (uint64_t value = 0; value < 1ull << 39; value += value / 7 + 1) {
		uint32_t bucket = loglinear_bucket(&scale, value);

		CHECK(loglinear_low(&scale, bucket) <= value);
		CHECK(loglinear_low(&scale, bucket + 1) > value);
	}
}

static void test_buckets_follow_each_other_and_the_last_takes_the_rest(void)
{
	for (uint32_t bucket = 0; bucket < scale.buckets; bucket++) {
		CHECK(loglinear_low(&scale, bucket) < loglinear_low(&scale, bucket + 1));
		CHECK_EQ(loglinear_bucket(&scale, loglinear_low(&scale, bucket)), bucket);
	}
	CHECK_EQ(loglinear_bucket(&scale, UINT64_MAX), scale.buckets - 1);
}

static void test_percentiles_are_within_a_sixteenth(void)
{
	uint64_t counts[240] = {0};

	CHECK_EQ(loglinear_percentile(&scale, counts, 50), 0);
	for (uint64_t us = 1; us <= 1000; us++)
		counts[loglinear_bucket(&scale, us * 1000)]++;
	CHECK(loglinear_percentile(&scale, counts, 50) > 500000 * 15 / 16);
	CHECK(loglinear_percentile(&scale, counts, 50) < 500000 * 17 / 16);
	CHECK(loglinear_percentile(&scale, counts, 99) > 990000 * 15 / 16);
	CHECK(loglinear_percentile(&scale, counts, 99) < 990000 * 17 / 16);
	CHECK_EQ(loglinear_bucket(&scale, loglinear_percentile(&scale, counts, 0)),
		 loglinear_bucket(&scale, 1000));
	/* The first bucket counts like any other. */
	counts[0] = 1001;
	CHECK_EQ(loglinear_bucket(&scale, loglinear_percentile(&scale, counts, 50)), 0);
	CHECK(loglinear_percentile(&scale, counts, 51) >= 1000);
}

int main(void)
{
	RUN(test_every_value_lies_in_its_bucket);
	RUN(test_buckets_follow_each_other_and_the_last_takes_the_rest);
	RUN(test_percentiles_are_within_a_sixteenth);
	return TEST_RESULT;
}
