/* SPDX-License-Identifier: MIT */
/* Comparisons of several runs, or of several candidates with one base. */
#ifndef BLKREEL_RENDER_COMPARE_RUNS_H
#define BLKREEL_RENDER_COMPARE_RUNS_H

#include <jansson.h>
#include <stdio.h>

#include "compare/limits.h"

/* Where the runs of a side come from; "" is the device of a profile, and the origin of a recording. */
struct run_names {
	const char *paths[RUNS_MAX];
	const char *devices[RUNS_MAX];
	const char *origins[RUNS_MAX];
};

/* A candidate (B) and the base (A). */
struct compared {
	const struct repetitions *r;
	const struct run_names *a, *b;
	const struct limit_result *limits;
	unsigned int limit_count;
};

/* The base is A, the first candidate B. At most RUNS_MAX: those beyond Z are written '+'. */
char candidate_letter(unsigned int candidate);

/* One candidate: verdict, figures with their intervals, each run. */
void render_runs_text(const struct compared *c, FILE *out);

/* Several candidates: a row each, then the verdicts. */
void render_candidates_text(const struct compared *list, unsigned int count, FILE *out);

/* blkreel.compare-runs/1. 0 or -EIO. */
int render_runs_json(const struct compared *list, unsigned int count, FILE *out);

/* The field "limits". New reference. */
json_t *render_limits_json(const struct limit_result *limits, unsigned int count);

/* Verdicts and limits as a comment for a pull request. */
void render_runs_markdown(const struct compared *list, unsigned int count, FILE *out);

/* JUnit XML: a test case for each limit, or for "the same workload" if there is none. */
void render_runs_junit(const struct compared *list, unsigned int count, FILE *out);

/* The base name of a path, for columns. */
const char *run_short_name(const char *path);

#endif
