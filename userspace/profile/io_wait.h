/* SPDX-License-Identifier: MIT */
/* What is known of an IO in a closed loop: who submitted it and what it waited for. */
#ifndef BLKREEL_PROFILE_IO_WAIT_H
#define BLKREEL_PROFILE_IO_WAIT_H

#include <stdbool.h>
#include <stdint.h>

struct io_wait {
	uint64_t program;     /* tasks of one number may be of one kind */
	uint32_t task;	      /* a number of its own, from 1 */
	uint32_t outstanding; /* IOs of the task without an answer before this one */
	uint32_t awaited;     /* of these: with this one */
	bool kernel;	      /* a thread of the kernel */
	bool first;	      /* of its task */
	bool dependent;	      /* it waited for a completion, of its own task or not */
	bool has_think, has_cycle, has_open_gap;
	uint64_t think_ns;    /* since the completion that it waited for */
	uint64_t cycle_ns;    /* since the submission of that */
	uint64_t open_gap_ns; /* since the submission before it, when it waited for nothing */
};

#endif
