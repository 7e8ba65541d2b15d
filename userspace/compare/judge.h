/* SPDX-License-Identifier: MIT */
/* The verdict about two workloads, from their figures. */
#ifndef BLKREEL_COMPARE_JUDGE_H
#define BLKREEL_COMPARE_JUDGE_H

#include "compare/figures.h"

/* Fills same_workload, differs and summary. */
void judge_workloads(struct comparison *c);

/* Adds what is missing to the summary, or replaces it: see comparison_add_missing(). */
void judge_missing(struct comparison *c);

/* Adds the differences IO by IO (c->exact) to the summary. */
void judge_exact(struct comparison *c);

#endif
