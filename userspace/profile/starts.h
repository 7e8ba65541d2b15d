/* Where requests of one size began, in order of time: the newest entry of a block counts. */
#ifndef BLKREEL_PROFILE_STARTS_H
#define BLKREEL_PROFILE_STARTS_H

#include <stdint.h>

#include "workload/lru_stack.h"

struct start {
	uint64_t block;
	uint32_t sequence; /* of the request; the block's tag while no other has touched it since */
};

/* Zero-filled is empty. */
struct starts {
	struct start *items;
	uint32_t count, room;
};

/* Forgets what was touched since when it is full, then the oldest. 0 or -ENOMEM. */
int starts_add(struct starts *s, uint64_t block, uint32_t sequence, const struct lru_stack *stack);
void starts_release(struct starts *s);

/* Index of the first entry that is not older than `sequence`; count when there is none. */
uint32_t starts_from(const struct starts *s, uint32_t sequence);

#endif
