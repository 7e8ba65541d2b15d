/* SPDX-License-Identifier: MIT */
/* The verdict about two workloads, from their figures. */
#ifndef BLKREEL_COMPARE_JUDGE_H
#define BLKREEL_COMPARE_JUDGE_H

#include "compare/figures.h"

/* The figure is within its limit, or says nothing of these two. */
bool judge_is_same(const struct comparison *c, enum workload_figure figure);

/* "The same workload": what to say of two that are. */
const char *judge_sameness(const struct comparison *c);

/* "in the device": the part of the latency whose mean changed most in the direction of the total. */
const char *judge_where_changed(const struct latency_comparison *l);

/* Two ratios, as of the mean and the median, tell the same, or one is not known. */
bool judge_agree(double x, double y);

/* Adds to the summary what the depths in A and B say about the device. `ios`: "reads" or "writes". */
void judge_equal_depth(struct comparison *c, const char *ios, const struct latency_comparison *l);

/* Adds to the summary that the times of A or B are too coarse for the gaps, if these differ. */
void judge_gap_resolution(struct comparison *c);

/* Adds to the summary that the times of A or B are too coarse for their latency. */
void judge_resolution(struct comparison *c, const char *ios, const struct latency_comparison *l);

/* Adds to the summary that a replay without waits piled up IOs. The figures: the most in flight. */
void judge_pile_up(struct comparison *c, const char *ios, unsigned int in_flight_a,
		   unsigned int in_flight_b);

/* "sizes by 0.12 of 1" */
void judge_figure_text(enum workload_figure figure, double value, char *text, size_t size);

/* The reason of no verdict for two workloads that judge_lacks_ios(). */
#define JUDGE_LACKS_IOS "neither A nor B has an IO."

bool judge_lacks_ios(const struct comparison *c);

/* "A and B have no operation in common": why no latency of A and B was compared. */
const char *judge_why_no_latency(const struct comparison *c);

/* Fills same_workload, differs and summary. */
void judge_workloads(struct comparison *c);

/* Adds what is missing to the summary, or replaces it: see comparison_add_missing(). */
void judge_missing(struct comparison *c);

/* Adds the differences IO by IO (c->exact) to the summary. */
void judge_exact(struct comparison *c);

#endif
