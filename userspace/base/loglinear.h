/* SPDX-License-Identifier: MIT */
/*
 * Log-linear buckets: whole numbers up to 2 << step_bits have a bucket each, then every power of two
 * has 1 << step_bits steps. The last bucket holds all that is larger. `unit` is what 1 stands for.
 */
#ifndef BLKREEL_BASE_LOGLINEAR_H
#define BLKREEL_BASE_LOGLINEAR_H

#include <stdint.h>

struct loglinear {
	uint32_t unit, step_bits, buckets;
};

/* Smallest value of a bucket; of `bucket` == buckets, where the last one ends. */
uint64_t loglinear_low(const struct loglinear *scale, uint32_t bucket);

/* Which bucket a value is counted in. */
uint32_t loglinear_bucket(const struct loglinear *scale, uint64_t value);

/* The middle of the bucket that holds the value with at least `pct` per cent (0 to 100) at or below
 * it; 0 when all counts are 0. */
uint64_t loglinear_percentile(const struct loglinear *scale, const uint64_t *counts, double pct);

#endif
