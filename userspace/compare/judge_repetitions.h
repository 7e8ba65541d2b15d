/* SPDX-License-Identifier: MIT */
/* The verdict about two workloads of several runs. */
#ifndef BLKREEL_COMPARE_JUDGE_REPETITIONS_H
#define BLKREEL_COMPARE_JUDGE_REPETITIONS_H

#include "compare/repetitions.h"

/* Fills the verdicts about reads and writes, and of `typical` same_workload, differs and summary. */
void judge_repetitions(struct repetitions *r);

#endif
