// SPDX-License-Identifier: MIT
#include "base/queue.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct queue_entry *first, **end;
	size_t weight, weight_max;
	size_t taken; /* weight of the entry that was popped last */
	bool is_closed;
};

struct queue *queue__new(size_t weight_max)
{
	struct queue *q = calloc(1, sizeof(*q));

	if (!q)
		return NULL;
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->changed, NULL);
	q->end = &q->first;
	q->weight_max = weight_max;
	return q;
}

void queue__free(struct queue *q)
{
	if (!q)
		return;
	pthread_cond_destroy(&q->changed);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

void queue__push(struct queue *q, struct queue_entry *entry, size_t weight)
{
	entry->next = NULL;
	entry->weight = weight;
	pthread_mutex_lock(&q->lock);
	while (q->weight && q->weight + weight > q->weight_max)
		pthread_cond_wait(&q->changed, &q->lock);
	*q->end = entry;
	q->end = &entry->next;
	q->weight += weight;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
}

struct queue_entry *queue__pop(struct queue *q)
{
	struct queue_entry *entry;

	pthread_mutex_lock(&q->lock);
	if (q->taken) {
		q->weight -= q->taken;
		q->taken = 0;
		pthread_cond_broadcast(&q->changed);
	}
	while (!q->first && !q->is_closed)
		pthread_cond_wait(&q->changed, &q->lock);
	entry = q->first;
	if (entry) {
		q->first = entry->next;
		if (!q->first)
			q->end = &q->first;
		q->taken = entry->weight;
	}
	pthread_mutex_unlock(&q->lock);
	return entry;
}

void queue__close(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->is_closed = true;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
}
