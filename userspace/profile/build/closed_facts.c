// SPDX-License-Identifier: MIT
#include "profile/build/closed_facts.h"

#include "profile/closed_values.h"

static double share_of(const struct profile *p, uint32_t kind)
{
	double ios = 0, all = 0;

	for (uint32_t s = 0; s < p->stream_count; s++) {
		double sum = 0;

		for (uint32_t k = 0; k < p->closed.kind_count; k++)
			sum += p->closed.kinds[k].streams[s];
		all += (double)p->streams[s].ios;
		if (sum > 0)
			ios += (double)p->streams[s].ios * p->closed.kinds[kind].streams[s] / sum;
	}
	return all > 0 ? ios / all : 0;
}

/* Mean number of IOs not yet awaited at which it waits, by weight. */
static double window_of(const struct closed_tasks *t)
{
	double sum = 0, weights = 0;

	for (unsigned int n = 0; n < CLOSED_ROWS; n++)
		for (unsigned int i = 1; i < CLOSED_AWAITED; i++) {
			sum += (double)t->awaited[n][i] * (n + 1);
			weights += t->awaited[n][i];
		}
	return weights > 0 ? sum / weights : 0;
}

void closed_facts(const struct profile *p, uint32_t kind, struct closed_facts *facts)
{
	const struct closed_tasks *t = &p->closed.kinds[kind];

	*facts = (struct closed_facts){
		.share = share_of(p, kind),
		.window = window_of(t),
		.think_ns = (double)closed_values_mean(&t->think_ns),
		.cycle_ns = (double)closed_values_mean(&t->cycle_ns),
	};
	for (uint32_t i = 0; i < p->phase_count; i++)
		facts->active += (double)t->active[i] / p->phase_count;
}

double closed_mean_depth(const struct profile_closed *c)
{
	double sum = 0, weights = 0;

	for (unsigned int i = 1; i < CLOSED_DEPTHS; i++) {
		sum += (double)c->depth[i] * (double)closed_depth_least(i);
		weights += c->depth[i];
	}
	return weights > 0 ? sum / weights : 0;
}

double closed_mean_latency_ns(const struct profile_closed *c, unsigned int closed_op)
{
	double sum = 0, rows = 0;

	for (unsigned int size = 0; size < CLOSED_SIZES; size++) {
		if (!c->latency_ns[closed_op][size].count)
			continue;
		sum += (double)closed_values_mean(&c->latency_ns[closed_op][size]);
		rows++;
	}
	return rows > 0 ? sum / rows : 0;
}
