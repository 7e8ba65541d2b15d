/* SPDX-License-Identifier: MIT */
/* What one thread hands to another, in order, bounded by the weight of what waits. */
#ifndef BLKREEL_BASE_QUEUE_H
#define BLKREEL_BASE_QUEUE_H

#include <stddef.h>

struct queue;

/* Begins whatever is queued; the queue owns both members while it waits. */
struct queue_entry {
	struct queue_entry *next;
	size_t weight;
};

struct queue *queue__new(size_t weight_max); /* NULL: no memory */
void queue__free(struct queue *q);	     /* an empty one; NULL is allowed */

/* Waits while others are in the queue and leave no room. */
void queue__push(struct queue *q, struct queue_entry *entry, size_t weight);
/* Waits for an entry, which is the caller's then. Its weight counts until the next call, so that
 * what is being worked on is bounded, too. NULL: closed and empty. */
struct queue_entry *queue__pop(struct queue *q);
/* Nothing more will be pushed. */
void queue__close(struct queue *q);

#endif
