/* SPDX-License-Identifier: MIT */
/* The closed loop of a profile: who waits for what. docs/profile-format.md, "[closed]". */
#ifndef BLKREEL_PROFILE_CLOSED_H
#define BLKREEL_PROFILE_CLOSED_H

#include <stdbool.h>
#include <stdint.h>

#define PROFILE_PHASES_MAX  24
#define PROFILE_STREAMS_MAX 32

#define CLOSED_TASKS_MAX       12  /* kinds of tasks */
#define CLOSED_VALUES_MAX      33  /* of a distribution */
#define CLOSED_LATENCY_MAX     17  /* the same of a latency */
#define CLOSED_ROWS	       129 /* IOs of a task that are not yet awaited: 1 to 128 and more */
#define CLOSED_AWAITED	       17  /* completions that the next IO awaits: 0 to 15, all */
#define CLOSED_AWAITED_ALL     16
#define CLOSED_DEPTHS	       42 /* index 0 is not used */
#define CLOSED_DEPTHS_EXACT    32
#define CLOSED_OPS	       5
#define CLOSED_SIZES	       5
#define PROFILE_CLOSED_FIGURES 4 /* of workload/figures/closed_figures.h, in its order */

/* A distribution as rising values; between any two neighbours lie equally many. */
struct closed_values {
	uint32_t count; /* 0: not known */
	uint64_t at[CLOSED_VALUES_MAX];
};

/* Tasks of a kind. */
struct closed_tasks {
	uint32_t kernel; /* 1: threads of the kernel */
	uint64_t tasks;
	uint64_t active[PROFILE_PHASES_MAX];
	uint32_t streams[PROFILE_STREAMS_MAX];
	uint32_t awaited[CLOSED_ROWS][CLOSED_AWAITED]; /* zeros: as the row before */
	struct closed_values think_ns, cycle_ns, open_gap_ns;
};

struct profile_closed {
	uint32_t kind_count; /* 0: not known */
	uint32_t dependent_permille;
	uint32_t depth[CLOSED_DEPTHS];
	struct closed_values latency_ns[CLOSED_OPS][CLOSED_SIZES];
	struct closed_tasks kinds[CLOSED_TASKS_MAX];
};

/* Where a depth (from 1) and a latency are counted. */
unsigned int closed_depth_class(uint64_t depth);
uint64_t closed_depth_least(unsigned int class); /* the smallest depth of a class */
unsigned int closed_op(unsigned int op);	 /* of an enum io_op */
const char *closed_op_name(unsigned int closed_op);
unsigned int closed_size(uint64_t bytes);
uint64_t closed_size_bytes(unsigned int size); /* the largest of it */

/* The row of `awaited` for n IOs (from 1) that are not yet awaited, or the row before it. */
const uint32_t *closed_awaited(const struct closed_tasks *tasks, uint64_t n);

#endif
