/* SPDX-License-Identifier: MIT */
/* The results of a bench: as a table, as CSV and as a document (blkreel.bench/1). */
#ifndef BLKREEL_RENDER_BENCH_BENCH_H
#define BLKREEL_RENDER_BENCH_BENCH_H

#include <jansson.h>
#include <stdio.h>

#include "bench/measure.h"

struct bench_results {
	const char *plan;
	const struct bench_options *options;
	const struct bench_points *points;
	const struct bench_figures *figures; /* of the points that are done, the first ones */
	unsigned int done;
};

/* 0 or negative errno. */
int bench_text(const struct bench_results *r, FILE *out);
/* A header, then a row for each point. 0 or -EIO. */
int bench_csv(const struct bench_results *r, FILE *out);
/* New reference. */
json_t *bench_json(const struct bench_results *r);

#endif
