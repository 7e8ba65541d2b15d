/* SPDX-License-Identifier: MIT */
/* What is known of an IO in a closed loop: who submitted it and what it waited for. */
#ifndef BLKREEL_PROFILE_IO_WAIT_H
#define BLKREEL_PROFILE_IO_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/rows.h"

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

/* An IO of a profile with what it waited for. */
struct closed_row {
	struct io_row row;     /* as of generator.h; with a closed loop completed_ns is set, too */
	uint32_t stream;       /* index */
	uint32_t kind;	       /* index, of tasks */
	struct io_wait waited; /* task 0: the profile says no closed loop */
};

struct trace_task;

/* A way to infer what each IO of a workload waited for; the caller brings one. */
struct io_wait_inference {
	int (*create)(void **state); /* 0 or -ENOMEM */
	/*
	 * Adds the next request by rising created_ns. 1: *wait says what it waited for; 0: its
	 * submitter or completion is not known; negative errno.
	 */
	int (*add)(void *state, const struct io_row *row, const struct trace_task *task,
		   struct io_wait *wait);
	void (*free)(void *state); /* NULL is allowed */
};

#endif
