/* SPDX-License-Identifier: MIT */
/* Where requests of one size began, in order of time: places on the LRU stack's time line. */
#ifndef BLKREEL_PROFILE_PLACEMENT_STARTS_H
#define BLKREEL_PROFILE_PLACEMENT_STARTS_H

#include <stdint.h>

#include "workload/lru/lru_stack.h"

/* Zero-filled is empty. */
struct starts {
	uint32_t *places; /* rising; those that are not live any more are stale */
	uint32_t count, room;
};

/* A later place. Forgets stale ones when it is full, then the oldest. 0 or -ENOMEM. */
int starts_add(struct starts *s, uint32_t place, const struct lru_stack *stack);
void starts_release(struct starts *s);

/* The places are about to move: see lru_stack__before_move(). */
void starts_move(struct starts *s, const struct lru_stack *stack);

/* Index of the first one at `place` or later; count when there is none. */
uint32_t starts_from(const struct starts *s, uint32_t place);

#endif
