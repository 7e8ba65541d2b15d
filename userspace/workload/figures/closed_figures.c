// SPDX-License-Identifier: MIT
#include "workload/figures/closed_figures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "workload/figures/depth_counter.h"

#define PERCENTILES 200

struct closed_measure {
	uint64_t ios, dependent;
	struct depth_counter *in_flight;
	struct histogram depth, think, latency;
};

static const struct {
	const char *name, *label;
} infos[CLOSED_FIGURES] = {
	[CLOSED_DEPENDENT_DELTA_PP] = {"dependent_delta_pp", "IOs that waited"},
	[CLOSED_DEPTH_KS] = {"depth_ks", "depth"},
	[CLOSED_THINK_SHIFT] = {"think_shift", "think time"},
	[CLOSED_LATENCY_SHIFT] = {"latency_shift", "latency"},
};

int closed_measure__create(struct closed_measure **measure)
{
	struct closed_measure *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	histogram_init(&m->depth);
	histogram_init(&m->think);
	histogram_init(&m->latency);
	if (depth_counter__create(&m->in_flight)) {
		free(m);
		return -ENOMEM;
	}
	*measure = m;
	return 0;
}

void closed_measure__free(struct closed_measure *m)
{
	if (!m)
		return;
	depth_counter__free(m->in_flight);
	free(m);
}

void closed_measure__add(struct closed_measure *m, const struct io_row *row, bool dependent,
			 uint64_t think_ns)
{
	m->ios++;
	m->dependent += dependent;
	if (think_ns != UINT64_MAX)
		histogram_add(&m->think, think_ns);
	histogram_add(&m->depth,
		      depth_counter__add(m->in_flight, row->created_ns, row->completed_ns));
	histogram_add(&m->latency, row->completed_ns > row->created_ns
					   ? row->completed_ns - row->created_ns
					   : 0);
}

/* Unlike KS also measures how far apart nearly constant times are. */
static double shift(const struct histogram *a, const struct histogram *b)
{
	double sum = 0, mean = a->count ? histogram_mean(a) : 0;

	if (!a->count || !b->count || mean <= 0)
		return NAN;
	for (unsigned int i = 0; i < PERCENTILES; i++) {
		double pct = (i + 0.5) * 100 / PERCENTILES;

		sum += fabs((double)histogram_percentile(a, pct) -
			    (double)histogram_percentile(b, pct));
	}
	return sum / PERCENTILES / mean;
}

static double distance(const struct histogram *a, const struct histogram *b)
{
	return a->count && b->count ? histogram_ks(a, b) : NAN;
}

void closed_measure__compare(const struct closed_measure *a, const struct closed_measure *b,
			     double figures[CLOSED_FIGURES])
{
	figures[CLOSED_DEPENDENT_DELTA_PP] = NAN;
	if (a->ios && b->ios)
		figures[CLOSED_DEPENDENT_DELTA_PP] = 100.0 * (double)b->dependent / (double)b->ios -
						     100.0 * (double)a->dependent / (double)a->ios;
	figures[CLOSED_DEPTH_KS] = distance(&a->depth, &b->depth);
	figures[CLOSED_THINK_SHIFT] = shift(&a->think, &b->think);
	figures[CLOSED_LATENCY_SHIFT] = shift(&a->latency, &b->latency);
}

const char *closed_figure_name(enum closed_figure figure)
{
	return infos[figure].name;
}

const char *closed_figure_label(enum closed_figure figure)
{
	return infos[figure].label;
}
