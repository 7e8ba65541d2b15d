// SPDX-License-Identifier: MIT
#include "base/histogram.h"

#include <math.h>
#include <string.h>

void histogram_init(struct histogram *h)
{
	memset(h, 0, sizeof(*h));
	h->min = UINT64_MAX;
}

/* The middle of the bucket, so that the error is the same in both directions. */
static uint64_t value_of(unsigned int bucket)
{
	uint64_t low = loglinear_number(bucket, HISTOGRAM_STEP_BITS);

	return low + (loglinear_number(bucket + 1, HISTOGRAM_STEP_BITS) - low) / 2;
}

void histogram_add_many(struct histogram *h, uint64_t value, uint64_t count)
{
	if (!count)
		return;
	h->buckets[loglinear_index(value, HISTOGRAM_STEP_BITS)] += count;
	h->count += count;
	h->sum += (double)value * (double)count;
	if (value < h->min)
		h->min = value;
	if (value > h->max)
		h->max = value;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++)
		into->buckets[i] += from->buckets[i];
	into->count += from->count;
	into->sum += from->sum;
	if (from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
}

static void find_bounds(struct histogram *h)
{
	unsigned int low = 0, high = HISTOGRAM_BUCKETS - 1;

	while (!h->buckets[low])
		low++;
	while (!h->buckets[high])
		high--;
	if (low != loglinear_index(h->min, HISTOGRAM_STEP_BITS))
		h->min = value_of(low);
	if (high != loglinear_index(h->max, HISTOGRAM_STEP_BITS))
		h->max = value_of(high);
}

void histogram_take_out(struct histogram *of, const struct histogram *part)
{
	if (of->count == part->count) {
		histogram_init(of);
		return;
	}
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++)
		of->buckets[i] -= part->buckets[i];
	of->count -= part->count;
	of->sum -= part->sum;
	find_bounds(of);
}

uint64_t histogram_percentile(const struct histogram *h, double pct)
{
	uint64_t rank, seen = 0, value;

	if (!h->count)
		return 0;
	rank = percentile_rank(h->count, pct);
	if (rank <= 1)
		return h->min;
	if (rank >= h->count)
		return h->max;
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += h->buckets[i];
		if (seen < rank)
			continue;
		value = value_of(i);
		if (value < h->min)
			return h->min;
		return value > h->max ? h->max : value;
	}
	return h->max;
}

double histogram_mean(const struct histogram *h)
{
	return h->count ? h->sum / (double)h->count : 0;
}

double histogram_ks(const struct histogram *a, const struct histogram *b)
{
	uint64_t sum_a = 0, sum_b = 0;
	double largest = 0;

	if (!a->count || !b->count)
		return a->count == b->count ? 0.0 : 1.0;
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++) {
		double difference;

		sum_a += a->buckets[i];
		sum_b += b->buckets[i];
		difference =
			fabs((double)sum_a / (double)a->count - (double)sum_b / (double)b->count);
		if (difference > largest)
			largest = difference;
	}
	return largest;
}

void histogram_distribution(const struct histogram *h, struct distribution *d)
{
	d->count = h->count;
	d->min = h->count ? h->min : 0;
	d->mean = histogram_mean(h);
	d->p50 = histogram_percentile(h, 50);
	d->p90 = histogram_percentile(h, 90);
	d->p99 = histogram_percentile(h, 99);
	d->p99_9 = histogram_percentile(h, 99.9);
	d->max = h->max;
}
