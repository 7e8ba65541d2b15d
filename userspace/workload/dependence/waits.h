/* SPDX-License-Identifier: MIT */
/* What each IO of a workload waited for, as replay --mode dependent infers it. */
#ifndef BLKREEL_WORKLOAD_DEPENDENCE_WAITS_H
#define BLKREEL_WORKLOAD_DEPENDENCE_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/rows.h"

/* Who submitted an IO and what it waited for. */
struct io_wait {
	uint64_t program;     /* tasks of one program may be of one kind */
	uint32_t task;	      /* a number of its own, from 1 */
	uint32_t outstanding; /* IOs of the task before this one that are not yet awaited */
	uint32_t awaited;     /* of these: awaited by this one */
	bool kernel;	      /* a thread of the kernel */
	bool first;	      /* of its task */
	bool dependent;	      /* it waited for a completion, of its own task or not */
	bool has_think, has_cycle, has_open_gap;
	uint64_t think_ns; /* from the completion awaited to this submission */
	uint64_t cycle_ns; /* from the submission of the awaited IO to this one */
	uint64_t
		open_gap_ns; /* from the previous submission of the task, when this IO awaits nothing */
};

struct waits;

/* Creates it; tasks are numbered from `first_task` + 1. 0 or -ENOMEM. */
int waits__create(uint32_t first_task, struct waits **waits);
void waits__free(struct waits *w); /* NULL is allowed */

/*
 * Adds the next request by rising created_ns, all times on one clock; `task` is NULL when not
 * known. 1: *waited says what it waited for; 0: its submitter or completion is not known; negative
 * errno.
 */
int waits__add(struct waits *w, const struct io_row *row, const struct trace_task *task,
	       struct io_wait *waited);

uint32_t waits__tasks(const struct waits *w); /* the highest task number so far */

#endif
