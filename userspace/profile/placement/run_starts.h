/* SPDX-License-Identifier: MIT */
/* Run starts: where requests of one size began, in order of time, as positions on the LRU stack. */
#ifndef BLKREEL_PROFILE_PLACEMENT_RUN_STARTS_H
#define BLKREEL_PROFILE_PLACEMENT_RUN_STARTS_H

#include <stdint.h>

#include "workload/lru/lru_stack.h"

/* Zero-filled is empty. */
struct run_starts {
	uint32_t *positions; /* rising; positions that are no longer live are stale */
	uint32_t count, capacity;
};

/* Adds a later position. When full, forgets the stale ones, then the oldest. 0 or -ENOMEM. */
int run_starts_add(struct run_starts *s, uint32_t position, const struct lru_stack *stack);
void run_starts_release(struct run_starts *s);

/* The positions are about to move: see lru_stack__before_move(). */
void run_starts_move(struct run_starts *s, const struct lru_stack *stack);

/* Index of the first start at `position` or later; count: none. */
uint32_t run_starts_from(const struct run_starts *s, uint32_t position);

#endif
