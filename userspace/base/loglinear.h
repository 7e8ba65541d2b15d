/* SPDX-License-Identifier: MIT */
/*
 * Log-linear buckets: each whole number below 2 << step_bits has a bucket of its own, then each power
 * of two has 1 << step_bits buckets.
 */
#ifndef BLKREEL_BASE_LOGLINEAR_H
#define BLKREEL_BASE_LOGLINEAR_H

#include <stdint.h>

/* The bucket of a whole number. */
static inline uint32_t loglinear_index(uint64_t number, uint32_t step_bits)
{
	uint32_t shift;

	if (number < 2u << step_bits)
		return (uint32_t)number;
	shift = 63u - (uint32_t)__builtin_clzll(number) - step_bits;
	return (shift << step_bits) + (uint32_t)(number >> shift);
}

/* The smallest number of a bucket; 0 for the bucket after the one of UINT64_MAX. */
static inline uint64_t loglinear_number(uint32_t bucket, uint32_t step_bits)
{
	uint32_t shift;

	if (bucket < 2u << step_bits)
		return bucket;
	shift = (bucket >> step_bits) - 1;
	return (uint64_t)(bucket - (shift << step_bits)) << shift;
}

/* `unit` is the value that the number 1 stands for. The last bucket holds all larger values, too. */
struct loglinear {
	uint32_t unit, step_bits, buckets;
};

/* The smallest value of a bucket; for `bucket` == buckets, the end of the last one. */
uint64_t loglinear_low(const struct loglinear *scale, uint32_t bucket);

/* The bucket of a value. */
uint32_t loglinear_bucket(const struct loglinear *scale, uint64_t value);

/* The rank, from 1 on, of the smallest of `count` values with at least `pct` per cent (0 to 100) at or below it; 0 for 0. */
uint64_t percentile_rank(uint64_t count, double pct);

/* The middle of the bucket that holds the value with at least `pct` per cent (0 to 100) at or below
 * it; 0 when all counts are 0. */
uint64_t loglinear_percentile(const struct loglinear *scale, const uint64_t *counts, double pct);

#endif
