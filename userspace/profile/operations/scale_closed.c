// SPDX-License-Identifier: MIT
#include "profile/operations/scale_closed.h"

#include "profile/closed_values.h"

#define ACTIVE_MAX (1u << 20)

static uint64_t most_active(const struct profile *p, const struct closed_tasks *t)
{
	uint64_t most = 1;

	for (uint32_t i = 0; i < p->phase_count; i++)
		most = t->active[i] > most ? t->active[i] : most;
	return most;
}

static uint64_t times(uint64_t value, double factor)
{
	double product = (double)value * factor + 0.5;

	if (!value)
		return 0;
	return product < 1 ? 1 : product < ACTIVE_MAX ? (uint64_t)product : ACTIVE_MAX;
}

/* The latency in a cycle stays. */
static void stretch(struct closed_tasks *t, double factor)
{
	double latency_ns =
		(double)closed_values_mean(&t->cycle_ns) - (double)closed_values_mean(&t->think_ns);

	closed_values_change(&t->think_ns, factor, latency_ns > 0 ? latency_ns * (factor - 1) : 0);
	closed_values_change(&t->cycle_ns, factor, 0);
	closed_values_change(&t->open_gap_ns, factor, 0);
}

/* Depths differ by powers of two at the most: the nearest class. */
static void scale_depth(uint32_t *depth, double load)
{
	uint32_t old[CLOSED_DEPTHS];

	for (unsigned int i = 0; i < CLOSED_DEPTHS; i++) {
		old[i] = depth[i];
		depth[i] = 0;
	}
	for (unsigned int i = 1; i < CLOSED_DEPTHS; i++)
		depth[closed_depth_class(times(closed_depth_least(i), load))] += old[i];
}

void scale_closed_load(struct profile *p, double load)
{
	struct profile_closed *c = &p->closed;

	for (uint32_t k = 0; k < c->kind_count; k++) {
		struct closed_tasks *t = &c->kinds[k];
		uint64_t before = most_active(p, t), after;

		for (uint32_t i = 0; i < p->phase_count; i++)
			t->active[i] = times(t->active[i], load);
		t->tasks = times(t->tasks, load);
		after = most_active(p, t);
		stretch(t, (double)after / ((double)before * load));
	}
	if (c->kind_count)
		scale_depth(c->depth, load);
}

void scale_closed_time(struct profile *p, double time)
{
	for (uint32_t k = 0; k < p->closed.kind_count; k++)
		stretch(&p->closed.kinds[k], time);
}
