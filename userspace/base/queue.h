/* SPDX-License-Identifier: MIT */
/* A queue from one thread to another, in order. The total weight of its entries is bounded. */
#ifndef BLKREEL_BASE_QUEUE_H
#define BLKREEL_BASE_QUEUE_H

#include <stddef.h>

struct queue;

/* The first member of each entry. The queue owns both fields while the entry waits. */
struct queue_entry {
	struct queue_entry *next;
	size_t weight;
};

struct queue *queue__new(size_t weight_max); /* NULL: no memory */
void queue__free(struct queue *q);	     /* must be empty; NULL is allowed */

/* Waits until the entry fits or the queue is empty. */
void queue__push(struct queue *q, struct queue_entry *entry, size_t weight);
/* Waits for an entry, which then belongs to the caller. Its weight counts until the next call, so
 * that the entry in work is inside the bound, too. NULL: the queue is closed and empty. */
struct queue_entry *queue__pop(struct queue *q);
/* Ends the queue: no entry will be pushed any more. */
void queue__close(struct queue *q);

#endif
