// SPDX-License-Identifier: MIT
#include "profile/closed_loop/service.h"

#include <stddef.h>

#define DRAWS 6

/* Of a size that is not known the nearest is, the smaller of two. */
static const struct closed_values *nearest_size(const struct closed_values *sizes,
						unsigned int size)
{
	for (unsigned int apart = 0; apart < CLOSED_SIZES; apart++) {
		if (size >= apart && sizes[size - apart].count)
			return &sizes[size - apart];
		if (size + apart < CLOSED_SIZES && sizes[size + apart].count)
			return &sizes[size + apart];
	}
	return NULL;
}

const struct closed_values *closed_service(const struct profile_closed *c, unsigned int op,
					   unsigned int size)
{
	static const struct closed_values nothing = {.count = 1, .at = {1}};
	const struct closed_values *found = nearest_size(c->latency_ns[op], size);

	for (unsigned int i = 0; i < CLOSED_OPS && !found; i++)
		found = nearest_size(c->latency_ns[i], size);
	return found ? found : &nothing;
}

static const struct closed_values *of_row(const struct profile_closed *c, const struct io_row *row)
{
	return closed_service(c, closed_op(row->op), closed_size(row->bytes));
}

uint64_t closed_service_draw(const struct profile_closed *c, const struct io_row *row,
			     struct prng *random)
{
	uint64_t latency_ns = closed_values_draw(of_row(c, row), random);

	return latency_ns ? latency_ns : 1;
}

/* Draws a value of `from` whose remainder `rest` can give; false: none of a few tries. */
static bool draw_both(const struct closed_values *from, const struct closed_values *rest,
		      uint64_t whole, struct prng *random, uint64_t *value)
{
	uint64_t values[DRAWS], weights[DRAWS], sum = 0;

	for (unsigned int i = 0; i < DRAWS; i++) {
		values[i] = closed_values_draw(from, random);
		weights[i] =
			values[i] <= whole ? closed_values_density(rest, whole - values[i]) : 0;
		sum += weights[i];
	}
	if (!sum)
		return false;
	*value = values[prng_weighted_of_64(random, weights, sum)];
	return true;
}

/* Neither gives way alone: as their means are to each other. */
static uint64_t proportional(const struct closed_values *a, const struct closed_values *b,
			     uint64_t whole)
{
	uint64_t mean_a = closed_values_mean(a) + 1, mean_b = closed_values_mean(b) + 1;

	return (uint64_t)((unsigned __int128)whole * mean_a / (mean_a + mean_b));
}

/*
 * The part of the steadier of both in a whole that they do not add up to; a small difference is
 * shared.
 */
static uint64_t give_way(const struct closed_values *steady, const struct closed_values *other,
			 uint64_t whole, struct prng *random)
{
	uint64_t value = closed_values_draw(steady, random);
	uint64_t usual = closed_values_mean(steady) + closed_values_mean(other);

	if (value > whole || whole < 2 * usual)
		return proportional(steady, other, whole);
	/* It is far too long: the longer of both by nature. */
	if (whole - value > other->at[other->count - 1] &&
	    steady->at[steady->count - 1] > other->at[other->count - 1])
		return whole - closed_values_draw(other, random);
	return value;
}

uint64_t closed_service_divide(const struct profile_closed *c, const struct io_row *row,
			       const struct closed_values *think_ns, uint64_t cycle_ns,
			       struct prng *random)
{
	const struct closed_values *latency_ns = of_row(c, row);
	bool latency_steadier = closed_values_spread(latency_ns) < closed_values_spread(think_ns);
	const struct closed_values *steady = latency_steadier ? latency_ns : think_ns;
	const struct closed_values *other = latency_steadier ? think_ns : latency_ns;
	uint64_t part;

	if (!think_ns->count)
		return cycle_ns;
	if (!draw_both(steady, other, cycle_ns, random, &part)) {
		if (draw_both(other, steady, cycle_ns, random, &part))
			part = cycle_ns - part;
		else
			part = give_way(steady, other, cycle_ns, random);
	}
	if (!latency_steadier)
		part = cycle_ns - part;
	return part ? part : 1;
}
