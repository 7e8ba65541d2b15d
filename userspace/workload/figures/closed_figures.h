/* SPDX-License-Identifier: MIT */
/* Figures of closed loops (who waits for what), and the distance of two workloads in them. */
#ifndef BLKREEL_WORKLOAD_FIGURES_CLOSED_FIGURES_H
#define BLKREEL_WORKLOAD_FIGURES_CLOSED_FIGURES_H

#include <stdbool.h>

#include "base/histogram.h"
#include "trace/rows.h"

enum closed_figure {
	CLOSED_DEPENDENT_DELTA_PP = 0, /* share of IOs that waited for another, percentage points */
	CLOSED_DEPTH_KS,	       /* distance of the cumulative distributions, 0 to 1 */
	/* Mean absolute difference of the percentiles / mean of A. */
	CLOSED_THINK_SHIFT,
	CLOSED_LATENCY_SHIFT,
	CLOSED_FIGURES,
};

struct closed_measure;

int closed_measure__create(struct closed_measure **measure); /* 0 or -ENOMEM */
void closed_measure__free(struct closed_measure *m);	     /* NULL is allowed */

/* Adds an IO, in order of created_ns; `think_ns` UINT64_MAX: there is no think time. */
void closed_measure__add(struct closed_measure *m, const struct io_row *row, bool dependent,
			 uint64_t think_ns);

/* Fills the distances; NaN where `a` or `b` has no values. */
void closed_measure__compare(const struct closed_measure *a, const struct closed_measure *b,
			     double figures[CLOSED_FIGURES]);

const char *closed_figure_name(enum closed_figure figure);  /* as in JSON */
const char *closed_figure_label(enum closed_figure figure); /* for people */

#endif
