// SPDX-License-Identifier: MIT
#include "replay/verify/durable.h"

static uint64_t *word_of(struct durable *d, uint64_t number)
{
	return &d->done[number % DURABLE_WINDOW / 64];
}

static uint64_t bit_of(uint64_t number)
{
	return 1ull << number % 64;
}

static void complete(struct durable *d, uint64_t number, int failed)
{
	/*
	 * A number too far ahead for a bit holds `completed` back for ever: less is claimed than is
	 * true.
	 */
	if (number <= d->completed || number > d->completed + DURABLE_WINDOW)
		return;
	*word_of(d, number) |= bit_of(number);
	while (*word_of(d, d->completed + 1) & bit_of(d->completed + 1)) {
		d->completed++;
		*word_of(d, d->completed) &= ~bit_of(d->completed);
	}
	if (failed)
		atomic_fetch_add_explicit(&d->progress->failed, 1, memory_order_relaxed);
	atomic_store_explicit(&d->progress->completed, d->completed, memory_order_release);
}

static void lock(struct durable *d)
{
	if (d->lock)
		pthread_mutex_lock(d->lock);
}

static void unlock(struct durable *d)
{
	if (d->lock)
		pthread_mutex_unlock(d->lock);
}

void durable__complete(struct durable *d, uint64_t number, int failed)
{
	lock(d);
	complete(d, number, failed);
	unlock(d);
}

uint64_t durable__mark(struct durable *d)
{
	uint64_t mark;

	lock(d);
	mark = d->completed;
	unlock(d);
	return mark;
}

void durable__flushed(struct durable *d, uint64_t mark)
{
	lock(d);
	if (mark > d->durable) {
		d->durable = mark;
		atomic_store_explicit(&d->progress->durable, mark, memory_order_release);
	}
	unlock(d);
}
