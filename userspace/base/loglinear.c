// SPDX-License-Identifier: MIT
#include "base/loglinear.h"

#include <math.h>

uint64_t loglinear_low(const struct loglinear *scale, uint32_t bucket)
{
	return loglinear_number(bucket, scale->step_bits) * scale->unit;
}

uint32_t loglinear_bucket(const struct loglinear *scale, uint64_t value)
{
	uint32_t bucket = loglinear_index(value / scale->unit, scale->step_bits);

	return bucket < scale->buckets ? bucket : scale->buckets - 1;
}

/* 99.9 per cent of 1,000 is 999 and not a little more, as a sum of powers of two has it. */
#define ROUNDING 1e-12

uint64_t percentile_rank(uint64_t count, double pct)
{
	return (uint64_t)ceil(pct * (double)count / 100.0 * (1 - ROUNDING));
}

uint64_t loglinear_percentile(const struct loglinear *scale, const uint64_t *counts, double pct)
{
	uint64_t total = 0, seen = 0, rank;

	for (uint32_t i = 0; i < scale->buckets; i++)
		total += counts[i];
	if (!total)
		return 0;
	rank = percentile_rank(total, pct);
	for (uint32_t i = 0; i < scale->buckets; i++) {
		seen += counts[i];
		if (seen >= rank && seen)
			return (loglinear_low(scale, i) + loglinear_low(scale, i + 1)) / 2;
	}
	return 0;
}
