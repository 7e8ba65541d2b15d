/* SPDX-License-Identifier: MIT */
/* The results of a bench: as a table, as CSV, as a document (blkreel.bench/1) and as a page. */
#ifndef BLKREEL_RENDER_BENCH_BENCH_H
#define BLKREEL_RENDER_BENCH_BENCH_H

#include <jansson.h>
#include <stdio.h>

#include "bench/measure.h"
#include "bench/pts.h"

#define BENCH_TEXT_MAX 256

struct bench_results {
	const char *plan, *target;
	uint64_t target_bytes; /* 0: not known */
	uint64_t runtime_ns;   /* of a point; 0: each has its own */
	char model[BENCH_TEXT_MAX], kernel[BENCH_TEXT_MAX], cpu[BENCH_TEXT_MAX];
	unsigned int merged; /* results that are merged; 0: it is one */
	const char *steady_figure;
	const struct bench_points *points;
	const struct bench_figures *figures; /* of the points that are done, the first ones */
	unsigned int done;
	bool is_whole;		    /* nothing more is to be measured */
	struct bench_steady steady; /* of a test of the SNIA */
};

/* 0 or negative errno. */
int bench_text(const struct bench_results *r, FILE *out);
/* A header, then a row for each point. 0 or -EIO. */
int bench_csv(const struct bench_results *r, FILE *out);
/* New reference. */
json_t *bench_json(const struct bench_results *r);
/* A page with charts, which holds the document as its data. 0, -ENOMEM or -EIO. */
int bench_print_html(const struct bench_results *r, FILE *out);

/*
 * The mean figure of a point of a test of the SNIA over the last rounds that were judged, or over
 * all whole ones if fewer; false: it was not measured.
 */
bool bench_window_mean(const struct bench_results *r, uint64_t bs_bytes, int mix_pct, double *mean);

/*
 * Size and per cent of reads of a point: the plan's, else of what it read and wrote, the mean size.
 * 0 and -1: it did neither. True: one of the two is not the plan's.
 */
bool bench_mix(const struct bench_point *point, const struct bench_figures *figures, double *bytes,
	       double *read_pct);

/* "IOPS", "MiB/s" or "mean latency", and a value of it. */
const char *bench_figure_name(enum bench_figure figure);
const char *bench_figure_text(enum bench_figure figure, double value, char *text);

#endif
