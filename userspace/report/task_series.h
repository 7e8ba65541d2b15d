/* SPDX-License-Identifier: MIT */
/* The IOs of each process over time, in the bins of a timeline. */
#ifndef BLKREEL_REPORT_TASK_SERIES_H
#define BLKREEL_REPORT_TASK_SERIES_H

#include "explain/figures/labels.h"
#include "report/timeline.h"

#define TASKS_FOLLOWED_MAX 512u /* beyond, those with the fewest IOs are among the others */
#define TASKS_SHOWN	   7u

struct task_load {
	uint32_t id; /* table id */
	uint64_t total_ios;
	struct explain_group name;
	uint32_t first_bin, end_bin; /* with IOs */
	uint32_t ios[TIMELINE_BINS];
	uint64_t bytes[TIMELINE_BINS], time_ns[TIMELINE_BINS];
	struct task_load *next;
};

/* Zero-filled is empty. After task_series_finish() `list` has the tasks shown, most IOs first. */
struct task_series {
	struct task_load *list, others;
	uint32_t count;
};

void task_series_release(struct task_series *s);

/* 0 or -ENOMEM. */
int task_series_add(struct task_series *s, const struct io_row *row, uint32_t bin);
void task_series_double_bins(struct task_series *s);

/* Unites the threads of a process, and all but TASKS_SHOWN processes as others. 0 or -ENOMEM. */
int task_series_finish(struct task_series *s, const struct explain_tables *tables);

#endif
