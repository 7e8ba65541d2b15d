/* SPDX-License-Identifier: MIT */
/*
 * Which of the ranges that are added come out of order: each has a rank, and must not come after
 * one of a higher rank that it overlaps. Every range is told twice, so that memory depends on
 * their number and not on the size of what they lie in.
 */
#ifndef BLKREEL_COMPARE_OVERLAP_ORDER_H
#define BLKREEL_COMPARE_OVERLAP_ORDER_H

#include <stdbool.h>
#include <stdint.h>

struct overlap_order;

int overlap_order__create(struct overlap_order **order); /* 0 or -ENOMEM */
void overlap_order__free(struct overlap_order *o);	 /* NULL is allowed */

/* First all ranges, in any order; `length_bytes` > 0, and the end fits. 0 or -ENOMEM. */
int overlap_order__reserve(struct overlap_order *o, uint64_t offset_bytes, uint64_t length_bytes);

/* Then this, once. 0 or -ENOMEM. */
int overlap_order__begin(struct overlap_order *o);

/* Then the same ranges as they come. True: one of a higher rank that it overlaps came before. */
bool overlap_order__add(struct overlap_order *o, uint64_t offset_bytes, uint64_t length_bytes,
			uint32_t rank);

#endif
