/* SPDX-License-Identifier: MIT */
/*
 * Finds ranges that come out of order: each range has a rank, and must not come after an
 * overlapping range of a higher rank. The caller passes all ranges twice, so that memory depends on
 * their number and not on the size of the device.
 */
#ifndef BLKREEL_COMPARE_OVERLAP_ORDER_H
#define BLKREEL_COMPARE_OVERLAP_ORDER_H

#include <stdbool.h>
#include <stdint.h>

struct overlap_order;

int overlap_order__create(struct overlap_order **order); /* 0 or -ENOMEM */
void overlap_order__free(struct overlap_order *o);	 /* NULL is allowed */

/* First call this for all ranges, in any order; `length_bytes` > 0, and the end does not overflow.
 * 0 or -ENOMEM. */
int overlap_order__reserve(struct overlap_order *o, uint64_t offset_bytes, uint64_t length_bytes);

/* Then call this, once. 0 or -ENOMEM. */
int overlap_order__begin(struct overlap_order *o);

/* Then call this for the same ranges in their order. True: an overlapping range of a higher rank
 * came before. */
bool overlap_order__add(struct overlap_order *o, uint64_t offset_bytes, uint64_t length_bytes,
			uint32_t rank);

#endif
