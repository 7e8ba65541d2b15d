/* SPDX-License-Identifier: MIT */
/* Where requests of one size began, in order of time: places on the LRU stack's time line. */
#ifndef BLKREEL_PROFILE_PLACEMENT_RUN_STARTS_H
#define BLKREEL_PROFILE_PLACEMENT_RUN_STARTS_H

#include <stdint.h>

#include "workload/lru/lru_stack.h"

/* Zero-filled is empty. */
struct run_starts {
	uint32_t *positions; /* rising; those that are not live any more are stale */
	uint32_t count, capacity;
};

/* A later place. Forgets stale ones when it is full, then the oldest. 0 or -ENOMEM. */
int run_starts_add(struct run_starts *s, uint32_t position, const struct lru_stack *stack);
void run_starts_release(struct run_starts *s);

/* The places are about to move: see lru_stack__before_move(). */
void run_starts_move(struct run_starts *s, const struct lru_stack *stack);

/* Index of the first one at `place` or later; count when there is none. */
uint32_t run_starts_from(const struct run_starts *s, uint32_t position);

#endif
