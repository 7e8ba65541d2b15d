/* SPDX-License-Identifier: MIT */
/*
 * Two workloads that were each run once or several times: every figure with the noise of the runs.
 * Pure: figures in, figures out.
 */
#ifndef BLKREEL_COMPARE_REPETITIONS_H
#define BLKREEL_COMPARE_REPETITIONS_H

#include "compare/comparison.h"
#include "compare/interval.h"

/* The runs of one side. What they point to must outlive the repetitions. */
struct run_set {
	unsigned int count;
	const struct workload_figures *figures[RUNS_MAX];
	const struct missing_rows *missing[RUNS_MAX];
};

enum latency_verdict {
	LATENCY_NOT_KNOWN = 0,
	LATENCY_AS_LONG,      /* means within SAME_LATENCY_RATIO, also with noise */
	LATENCY_WITHIN_NOISE, /* no difference beyond the noise of the runs */
	LATENCY_SLOWER,
	LATENCY_FASTER,
};

const char *latency_verdict_name(enum latency_verdict verdict); /* as in the JSON document */

struct repetitions {
	const struct run_set *a, *b;
	struct comparison *pairs;  /* each run of A with each of B, those of A's first run first */
	struct comparison typical; /* medians; its summary is that of all runs */
	struct interval read_mean, write_mean; /* B / A */
	enum latency_verdict read, write;
	unsigned int judged; /* figures of the workload that are known */
};

/*
 * Fills all but what judge_repetitions() does. 0 or -ENOMEM; either way repetitions__release()
 * frees.
 */
int repetitions_compare(const struct run_set *a, const struct run_set *b, struct repetitions *r);
void repetitions__release(struct repetitions *r);

/* A figure by its name, as comparison_figure(). */
int repetitions__figure(const struct repetitions *r, const char *name, struct interval *interval);

/* The value of the figure that says "no difference": 1 of ratios, otherwise 0. */
double comparison_figure_neutral(const char *name);

/* The noise of the runs is known: both sides have enough of them. */
bool repetitions__know_noise(const struct repetitions *r);

#endif
