/* SPDX-License-Identifier: MIT */
/* Sorts events by time within a window of a fixed number of events. */
#ifndef BLKREEL_EXCHANGE_EVENTS_BLOCK_HEAP_H
#define BLKREEL_EXCHANGE_EVENTS_BLOCK_HEAP_H

#include <stdbool.h>

#include "exchange/events/block_event.h"

struct block_heap;

struct block_heap *block_heap__new(uint32_t events); /* NULL: no memory */
void block_heap__free(struct block_heap *h);	     /* NULL is allowed */

/* Whether it holds the events of block_heap__new(). */
bool block_heap__full(const struct block_heap *h);
/*
 * Only while not full. At equal times the smallest `order` comes first; `mark` is for the caller.
 */
void block_heap__push(struct block_heap *h, const struct block_event *event, uint64_t order,
		      uint32_t mark);
/* Removes the earliest event. False: empty. `mark` may be NULL. */
bool block_heap__pop(struct block_heap *h, struct block_event *event, uint32_t *mark);

#endif
