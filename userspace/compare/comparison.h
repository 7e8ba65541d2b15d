/* SPDX-License-Identifier: MIT */
/*
 * Two workloads side by side: how far apart each figure is, whether they are the same workload,
 * and whether B is faster or slower. Pure: figures in, figures out.
 */
#ifndef BLKREEL_COMPARE_COMPARISON_H
#define BLKREEL_COMPARE_COMPARISON_H

#include "compare/figures.h"

/* The figures must outlive the comparison. */
void compare_workloads(const struct workload_figures *a, const struct workload_figures *b,
		       struct comparison *c);

/* The same for a trace and what its own profile generates: bursts need two windows instead of 30. */
void compare_with_profile(const struct workload_figures *trace,
			  const struct workload_figures *generated, struct comparison *c);

/*
 * Says what is missing from A and B, which must outlive the comparison. Above LOST_PCT_MAX there is
 * no verdict about workload and latency, and the figures stay. To be called before
 * comparison_add_exact().
 */
void comparison_add_missing(struct comparison *c, const struct missing_rows *a,
			    const struct missing_rows *b);

/* Adds the result of exact_compare(), which must outlive the comparison. */
void comparison_add_exact(struct comparison *c, const struct exact_differences *d);

/*
 * A figure by the name that --fail-above takes: "workload.size_tvd", "workload.same" (0 or 1),
 * "latency.read.p99", "latency.write.device.mean", "throughput.iops", "throughput.bytes_per_s",
 * "exact.order", "exact.differences" (their sum). Differences in pp are given without sign.
 * -ENOENT: no such name. A comparison of zeros has every name.
 */
int comparison_figure(const struct comparison *c, const char *name, double *value);

/*
 * Several candidates on one page: the summary, in which B is called `letter`. Letters beyond Z, and B
 * itself, leave it as it is.
 */
void comparison_summary_of(const char *summary, char letter, char text[COMPARISON_SUMMARY_MAX]);

#endif
