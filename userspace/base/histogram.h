/* SPDX-License-Identifier: MIT */
/*
 * A histogram of non-negative integers in log-linear buckets: exact up to 127, then 64 buckets per
 * power of two (an error below 0.8 %). Count, sum, minimum and maximum are exact. 30 KiB.
 */
#ifndef BLKREEL_BASE_HISTOGRAM_H
#define BLKREEL_BASE_HISTOGRAM_H

#include <stdint.h>

#include "base/loglinear.h"

#define HISTOGRAM_STEP_BITS 6
#define HISTOGRAM_BUCKETS   ((64 - HISTOGRAM_STEP_BITS + 1) << HISTOGRAM_STEP_BITS)

struct histogram {
	uint64_t count;
	uint64_t min;
	uint64_t max;
	double sum;
	uint64_t buckets[HISTOGRAM_BUCKETS];
};

void histogram_init(struct histogram *h);

static inline void histogram_add(struct histogram *h, uint64_t value)
{
	h->buckets[loglinear_index(value, HISTOGRAM_STEP_BITS)]++;
	h->count++;
	h->sum += (double)value;
	if (value < h->min)
		h->min = value;
	if (value > h->max)
		h->max = value;
}

void histogram_add_many(struct histogram *h, uint64_t value, uint64_t count);
void histogram_merge(struct histogram *into, const struct histogram *from);

/* The reverse, of what was merged before. The smallest and largest value are then those of their buckets. */
void histogram_take_out(struct histogram *of, const struct histogram *part);

/* The smallest recorded value with at least `pct` per cent (0 to 100) at or below it; 0 if empty. */
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
