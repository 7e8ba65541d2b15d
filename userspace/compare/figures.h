/* SPDX-License-Identifier: MIT */
/* The figures in which two workloads are compared: their names, limits and values. */
#ifndef BLKREEL_COMPARE_FIGURES_H
#define BLKREEL_COMPARE_FIGURES_H

#include <stdbool.h>

#include "compare/exact.h"
#include "workload/figures/measure.h"
#include "workload/missing_rows.h"

/*
 * Limits within which two workloads are the same. A ratio is within x when it lies in [1/x, x]. The
 * limits of bursts are wide because two recordings of one steady service differ as much.
 */
#define SAME_IOS_RATIO	     1.05
#define SAME_READ_IOS_PP     2.0
#define SAME_BYTES_RATIO     1.05
#define SAME_SIZE_TVD	     0.05
#define SAME_GAP_KS	     0.10
#define SAME_IDC_RATIO	     2.0
#define SAME_PEAK_RATIO	     2.0
#define SAME_MRC_MAE	     0.05
#define SAME_SEQUENTIAL_PP   5.0
#define SAME_FOOTPRINT_RATIO 1.25
#define SAME_BUSY_READS_PP   10.0
#define SAME_OP_TVD	     0.02
/*
 * Bursts (variance / mean) below this are near 0: ratios of them are noise. They count as this much.
 * So do those of windows whose standard deviation is below NEAR_ZERO_SPREAD of their mean.
 */
#define NEAR_ZERO_IDC	 0.1
#define NEAR_ZERO_SPREAD 0.02
/* The share of reads in the busiest tenth needs so many IOs. */
#define BUSY_IOS_MIN 1000
/* There is no verdict if more of the IOs of A or B are missing. */
#define LOST_PCT_MAX 1.0
/* Mean latencies within this ratio are equal. */
#define SAME_LATENCY_RATIO 1.05

enum workload_figure {
	FIGURE_IOS_RATIO = 0,
	FIGURE_READ_IOS_DELTA_PP,
	FIGURE_BYTES_RATIO,
	FIGURE_SIZE_TVD,
	FIGURE_GAP_KS,
	FIGURE_IDC_RATIO_10MS,
	FIGURE_IDC_RATIO_1S,
	FIGURE_IDC_RATIO_60S,
	FIGURE_PEAK_10MS_RATIO,
	FIGURE_MRC_MAE,
	FIGURE_SEQUENTIAL_DELTA_PP,
	FIGURE_FOOTPRINT_RATIO,
	FIGURE_BUSY_READS_DELTA_PP,
	FIGURE_BYTES_IDC_RATIO,
	FIGURE_OP_TVD,
	FIGURE_COUNT,
};

struct figure_info {
	const char *name;  /* as in the JSON document, below "workload." */
	const char *label; /* for people */
	double same;	   /* the threshold */
	bool is_ratio;	   /* same: a factor; otherwise a limit of the absolute value */
};

const struct figure_info *figure_info(enum workload_figure figure);

enum latency_part {
	LATENCY_TOTAL = 0,
	LATENCY_QUEUE,
	LATENCY_DEVICE,
	LATENCY_PARTS
};

const char *latency_part_name(enum latency_part part);

/* B / A of each figure of a distribution; NaN where one is missing. */
struct latency_ratio {
	double mean, p50, p90, p99, p99_9, max;
};

/* IOs that were issued with as many at the device in A as in B. */
struct equal_depth {
	double share_pct; /* of the IOs of A and of B that have such counterparts; NaN: no depth is known */
	double ratio; /* B / A of the geometric means of their device latencies; NaN: too few */
};

struct latency_comparison {
	struct distribution a[LATENCY_PARTS], b[LATENCY_PARTS];
	struct latency_ratio ratio[LATENCY_PARTS];
	struct equal_depth equal_depth;
};

/* The reason of figures that say nothing of the workload. */
#define FIGURE_FOLLOWS_DEVICE "one is of a replay whose times follow the device"

#define COMPARISON_SUMMARY_MAX 2048

struct comparison {
	const struct workload_figures *a, *b;
	double figures[FIGURE_COUNT]; /* NaN: not known, see `reasons` */
	const char *reasons[FIGURE_COUNT];
	bool differs[FIGURE_COUNT];
	bool near_zero; /* bursts that are not equal count as NEAR_ZERO_IDC */
	struct latency_comparison read, write;
	const struct exact_differences *exact;		  /* NULL: not compared IO by IO */
	const struct missing_rows *a_missing, *b_missing; /* NULL: not asked */
	bool same_workload;
	bool no_verdict; /* too much is missing: same_workload counts for nothing */
	char no_verdict_reason[2 * MISSING_TEXT_MAX]; /* a sentence */
	bool follows_device; /* figures of time are not compared: FIGURE_FOLLOWS_DEVICE */
	bool is_generated;   /* IOs of A or B were made by a profile */
	char summary[COMPARISON_SUMMARY_MAX];
};

#endif
