// SPDX-License-Identifier: MIT
#include "profile/closed_values.h"

#define ONE	   (1ull << 48)
#define HAZARD_MAX (1ull << 56)
#define VALUE_MAX  (1ull << 56)

/* The mean of the values but the last, as parts of an interval each. */
static double twice_sum(const struct closed_values *v)
{
	double sum = 0;

	for (uint32_t i = 0; i + 2 < v->count; i++)
		sum += (double)v->at[i] + (double)v->at[i + 1];
	return sum;
}

/* Moves the last value. */
static void set_mean(struct closed_values *v, double mean)
{
	uint64_t least = v->at[v->count - 2];
	double last = 2.0 * (v->count - 1) * mean - twice_sum(v) - (double)least;

	if (last > (double)least && last < (double)VALUE_MAX)
		v->at[v->count - 1] = (uint64_t)(last + 0.5);
	else
		v->at[v->count - 1] = least;
}

void closed_values_of(const struct histogram *h, uint32_t most, struct closed_values *v)
{
	uint64_t wanted = h->count < most ? h->count : most;

	*v = (struct closed_values){0};
	if (!wanted)
		return;
	if (h->min == h->max)
		wanted = 1;
	v->count = (uint32_t)wanted;
	if (wanted == 1) {
		v->at[0] = (uint64_t)(h->sum / (double)h->count + 0.5);
		return;
	}
	v->at[0] = h->min;
	for (uint32_t i = 1; i < v->count; i++) {
		uint64_t at = histogram_percentile(h, 100.0 * i / (v->count - 1));

		v->at[i] = at < v->at[i - 1] ? v->at[i - 1] : at < VALUE_MAX ? at : VALUE_MAX;
	}
	set_mean(v, h->sum / (double)h->count);
}

void closed_values_thin(struct closed_values *v)
{
	double mean = (double)closed_values_mean(v);
	uint32_t count = v->count / 2 + 1;

	if (v->count < 9)
		return;
	for (uint32_t i = 0; i < count; i++)
		v->at[i] = v->at[(uint64_t)i * (v->count - 1) / (count - 1)];
	v->count = count;
	set_mean(v, mean);
}

uint64_t closed_values_draw(const struct closed_values *v, struct prng *random)
{
	uint64_t i;

	if (v->count < 2)
		return v->count ? v->at[0] : 0;
	i = prng_below(random, v->count - 1);
	return v->at[i] + prng_below(random, v->at[i + 1] - v->at[i] + 1);
}

uint64_t closed_values_mean(const struct closed_values *v)
{
	unsigned __int128 sum = 0;

	if (v->count < 2)
		return v->count ? v->at[0] : 0;
	for (uint32_t i = 0; i + 1 < v->count; i++)
		sum += v->at[i] + v->at[i + 1];
	return (uint64_t)(sum / 2 / (v->count - 1));
}

uint64_t closed_values_spread(const struct closed_values *v)
{
	uint32_t edge = v->count / 10;

	return v->count ? v->at[v->count - 1 - edge] - v->at[edge] : 0;
}

/* The last interval that begins at or below `at`, which is not below the first value. */
static uint32_t interval_of(const struct closed_values *v, uint64_t at)
{
	uint32_t low = 0, high = v->count - 1;

	while (low + 1 < high) {
		uint32_t middle = (low + high) / 2;

		if (v->at[middle] <= at)
			low = middle;
		else
			high = middle;
	}
	return low;
}

uint64_t closed_values_density(const struct closed_values *v, uint64_t at)
{
	uint32_t i;

	if (!v->count || at < v->at[0] || at > v->at[v->count - 1])
		return 0;
	if (v->count == 1)
		return ONE;
	i = interval_of(v, at);
	return ONE / (v->count - 1) / (v->at[i + 1] - v->at[i] + 1);
}

uint64_t closed_values_hazard(const struct closed_values *v, uint64_t at)
{
	uint64_t last, width, hazard;
	uint32_t i;

	if (!v->count || at < v->at[0])
		return 0;
	last = v->at[v->count - 1];
	if (v->count == 1 || at >= last) {
		width = v->count > 1 ? last - v->at[v->count - 2] + 1 : 1;
		hazard = 4 * ONE / width / (v->count > 1 ? 1 : 16);
		hazard += hazard / 16 *
			  ((at - last) / (last / 16 + 1) < 1024 ? (at - last) / (last / 16 + 1)
								: 1024);
		return hazard < HAZARD_MAX ? hazard : HAZARD_MAX;
	}
	i = interval_of(v, at);
	width = v->at[i + 1] - v->at[i] + 1;
	/* Half of the interval is over in the mean. */
	return 2 * ONE / (2 * (v->count - 1 - i) - 1) / width;
}

uint64_t closed_values_below(const struct closed_values *v, uint64_t at)
{
	if (!v->count || at < v->at[0])
		return 0;
	if (v->count == 1 || at >= v->at[v->count - 1])
		return 1024;
	return (2ull * interval_of(v, at) + 1) * 512 / (v->count - 1);
}

void closed_values_change(struct closed_values *v, double factor, double shift_ns)
{
	for (uint32_t i = 0; i < v->count; i++) {
		double at = (double)v->at[i] * factor + shift_ns;

		v->at[i] = at <= 0 ? 0 : at < (double)VALUE_MAX ? (uint64_t)(at + 0.5) : VALUE_MAX;
	}
}
