/* SPDX-License-Identifier: MIT */
/*
 * A log-linear histogram of non-negative integers: exact up to 127, then 64 steps per power of
 * two (an error below 0.8 %). Count, sum, minimum and maximum are exact. Fixed memory (30 KiB).
 */
#ifndef BLKREEL_BASE_HISTOGRAM_H
#define BLKREEL_BASE_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_STEP_BITS 6
#define HISTOGRAM_BUCKETS   ((64 - HISTOGRAM_STEP_BITS + 1) << HISTOGRAM_STEP_BITS)

struct histogram {
	uint64_t count;
	uint64_t min;
	uint64_t max;
	double sum;
	uint64_t buckets[HISTOGRAM_BUCKETS];
};

/* In which of its buckets a histogram counts `value`. */
static inline unsigned int histogram_bucket(uint64_t value)
{
	unsigned int shift;

	if (value < 2u << HISTOGRAM_STEP_BITS)
		return (unsigned int)value;
	shift = 63u - (unsigned int)__builtin_clzll(value) - HISTOGRAM_STEP_BITS;
	return (shift << HISTOGRAM_STEP_BITS) + (unsigned int)(value >> shift);
}

void histogram_init(struct histogram *h);

static inline void histogram_add(struct histogram *h, uint64_t value)
{
	h->buckets[histogram_bucket(value)]++;
	h->count++;
	h->sum += (double)value;
	if (value < h->min)
		h->min = value;
	if (value > h->max)
		h->max = value;
}

void histogram_add_many(struct histogram *h, uint64_t value, uint64_t count);
void histogram_merge(struct histogram *into, const struct histogram *from);

/* Smallest recorded value with at least `pct` per cent (0 to 100) at or below it; 0 when empty. */
uint64_t histogram_percentile(const struct histogram *h, double pct);
double histogram_mean(const struct histogram *h);

/* The largest distance between two cumulative distributions, 0 to 1 (Kolmogorov-Smirnov). */
double histogram_ks(const struct histogram *a, const struct histogram *b);

/* The figures of a distribution as every JSON document and table prints them. */
struct distribution {
	uint64_t count, min, p50, p90, p99, p99_9, max;
	double mean;
};

void histogram_distribution(const struct histogram *h, struct distribution *d);

#endif
