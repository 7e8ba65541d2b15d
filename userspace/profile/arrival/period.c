// SPDX-License-Identifier: MIT
#include "profile/arrival/period.h"

#include "profile/arithmetic.h"

#define HALF_BITS  20 /* of a weight of a half */
#define PART_STEPS 256

static void shift_windows(struct period *t, const struct profile_arrival *model, uint32_t phases)
{
	for (uint32_t i = 0; i < model->window_count && phases; i++)
		t->shift_ns[i] =
			part_begin(t->period_ns,
				   model->period_shift[part_begin(phases, i, model->window_count)],
				   PROFILE_PERIOD_PARTS);
}

void period_init(struct period *t, const struct profile_arrival *model,
		 const struct profile_splits *splits, uint64_t duration_ns, uint32_t phases)
{
	uint64_t window_ns = model->window_count ? duration_ns / model->window_count : 0;

	*t = (struct period){.period_ns = model->period_ns};
	for (unsigned int i = 0; i < PROFILE_PERIOD_PARTS; i++)
		t->before[i + 1] = t->before[i] + splits->period_shape[i];
	if (!t->period_ns || !t->before[PROFILE_PERIOD_PARTS])
		return;
	/* Below two parts the timer is not so exact. */
	while (t->levels < model->split_levels &&
	       window_ns >> (t->levels + 1) >= 2 * t->period_ns / PROFILE_PERIOD_PARTS)
		t->levels++;
	shift_windows(t, model, phases);
}

/* Weights, in 256ths, of all before that time. Wraps around; differences do not. */
static uint64_t weights_before(const struct period *t, uint64_t time_ns)
{
	uint64_t rest_ns = time_ns % t->period_ns;
	uint64_t step = part_of(t->period_ns, rest_ns, PROFILE_PERIOD_PARTS * PART_STEPS);
	uint64_t part = step / PART_STEPS;

	return (time_ns / t->period_ns * t->before[PROFILE_PERIOD_PARTS] + t->before[part]) *
		       PART_STEPS +
	       step % PART_STEPS * (t->before[part + 1] - t->before[part]);
}

struct period_halves period_halves(const struct period *t, uint64_t window, uint64_t begin_ns,
				   uint64_t middle_ns, uint64_t end_ns)
{
	uint64_t shift_ns = t->shift_ns[window], middle = weights_before(t, middle_ns + shift_ns);
	struct period_halves h = {middle - weights_before(t, begin_ns + shift_ns),
				  weights_before(t, end_ns + shift_ns) - middle};
	unsigned int bits = bits_of(h.first | h.second);

	if (bits > HALF_BITS) {
		h.first >>= bits - HALF_BITS;
		h.second >>= bits - HALF_BITS;
	}
	return h;
}

/* IOs by which the left side exceeds its share, as if the halves had equal ones. */
static int64_t excess(struct period_halves h, uint64_t left, uint64_t right)
{
	__int128 weighed = (__int128)left * h.second - (__int128)right * h.first;

	return (int64_t)(weighed / (h.first > h.second ? h.first : h.second));
}

uint64_t period_flatten(struct period_halves h, uint64_t left, uint64_t right)
{
	if (h.first == h.second)
		return left;
	return (uint64_t)(((int64_t)(left + right) + excess(h, left, right)) / 2);
}

/* The way back, in 1024ths. */
static uint64_t bend_1024(struct period_halves h, uint64_t left, uint64_t right)
{
	uint64_t most = h.first > h.second ? h.first : h.second, n = left + right;
	__int128 weighed = (__int128)n * h.first + ((__int128)left - (__int128)right) * most;

	if (weighed <= 0)
		return 0;
	weighed = weighed * 1024 / (h.first + h.second);
	return weighed < (__int128)n * 1024 ? (uint64_t)weighed : n * 1024;
}

uint64_t period_bend(struct period_halves h, uint64_t left, uint64_t right, struct prng *random)
{
	uint64_t bent;

	if (h.first == h.second)
		return left;
	bent = bend_1024(h, left, right);
	return bent / 1024 + (prng_below(random, 1024) < bent % 1024);
}

uint32_t period_first_permille(struct period_halves h, uint64_t more, uint64_t n)
{
	uint64_t most, least, mean;

	if (h.first == h.second)
		return 500;
	most = bend_1024(h, more, n - more);
	least = bend_1024(h, n - more, more);
	mean = part_begin(1024 * n, h.first, h.first + h.second);
	if (most <= least)
		return 500;
	if (mean <= least)
		return 0;
	return at_most((unsigned int)part_begin(1000, mean - least, most - least), 1000);
}
