// SPDX-License-Identifier: MIT
#include "replay/engine/reader_thread.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

/*
 * A full ring is refilled when half of it is consumed, which lasts 2.7 ms at 3 million IOs a
 * second. Refilling it at once, while many IOs are in flight, would take the CPU from the kernel
 * threads that do these IOs. Not with several consumers: the IOs of one may lie behind those that
 * another has not taken.
 */
#define FULL_UNTIL_IOS (READER_THREAD_IOS / 2)
#define FULL_SLEEP_NS  2000000l

/* Until the ring is full at the start: a source that begins anew after a few IOs is slower. */
#define PRIMED_SLEEPS 250

/* Published at once: each publication costs both sides a cache line of the other. */
#define BATCH_IOS 32u

static void sleep_a_moment(void)
{
	struct timespec moment = {.tv_nsec = FULL_SLEEP_NS};

	nanosleep(&moment, NULL);
}

/* How many IOs the slowest consumer has before it. */
static unsigned int filled(struct reader_thread *f, unsigned int produced)
{
	unsigned int most = 0;

	for (unsigned int i = 0; i < f->consumers; i++) {
		unsigned int count = produced - atomic_load_explicit(&f->consumer[i].consumed,
								     memory_order_acquire);

		if (count > most)
			most = count;
	}
	return most;
}

/* Waits for space for a batch; READER_THREAD_IOS is a multiple of it. */
static bool wait_for_space(struct reader_thread *f, unsigned int produced)
{
	unsigned int most = READER_THREAD_IOS - BATCH_IOS;

	while (filled(f, produced) > most) {
		atomic_store_explicit(&f->primed, true, memory_order_release);
		if (atomic_load_explicit(&f->stop, memory_order_relaxed))
			return false;
		if (f->consumers == 1)
			most = FULL_UNTIL_IOS;
		sleep_a_moment();
	}
	return !atomic_load_explicit(&f->stop, memory_order_relaxed);
}

/*
 * 1: a whole batch; 0: the source ended; negative errno. What the source gave before is published
 * in any case.
 */
static int feed_batch(struct reader_thread *f, unsigned int *produced)
{
	unsigned int end = *produced + BATCH_IOS;
	struct sharing *sharing = f->sharing;
	int err = 1;

	while (*produced != end) {
		struct reader_thread_place *place = &f->ring[*produced % READER_THREAD_IOS];

		err = replay_source__next(f->source, &place->io);
		if (err <= 0)
			break;
		if (sharing)
			place->owner = (uint8_t)sharing__add(sharing, &place->io);
		++*produced;
	}
	atomic_store_explicit(&f->produced, *produced, memory_order_release);
	return err;
}

static void *feed(void *argument)
{
	struct reader_thread *f = argument;
	unsigned int produced = 0;

	while (wait_for_space(f, produced)) {
		int err = feed_batch(f, &produced);

		if (err <= 0) {
			f->error = err;
			break;
		}
	}
	atomic_store_explicit(&f->ended, true, memory_order_release);
	atomic_store_explicit(&f->primed, true, memory_order_release);
	return NULL;
}

int reader_thread__start_shared(struct replay_source *source, struct sharing *sharing,
				unsigned int workers, struct reader_thread **reader_thread)
{
	struct reader_thread *f = aligned_alloc(64, sizeof(*f));
	int err;

	if (!f)
		return -ENOMEM;
	f->source = source;
	f->error = 0;
	f->sharing = sharing;
	f->consumers = workers;
	for (unsigned int i = 0; i < workers; i++)
		f->consumer[i] = (struct reader_thread_consumer){.consumed = 0};
	atomic_init(&f->stop, false);
	atomic_init(&f->primed, false);
	atomic_init(&f->ended, false);
	atomic_init(&f->produced, 0);
	err = pthread_create(&f->thread, NULL, feed, f);
	if (err) {
		free(f);
		return -err;
	}
	for (unsigned int i = 0;
	     i < PRIMED_SLEEPS && !atomic_load_explicit(&f->primed, memory_order_acquire); i++)
		sleep_a_moment();
	*reader_thread = f;
	return 0;
}

int reader_thread__start(struct replay_source *source, struct reader_thread **reader_thread)
{
	return reader_thread__start_shared(source, NULL, 1, reader_thread);
}

enum reader_thread_state reader_thread__look(struct reader_thread *f,
					     struct reader_thread_consumer *c)
{
	/* In this order, so that IOs produced before the end are seen before the end. */
	bool ended = atomic_load_explicit(&f->ended, memory_order_acquire);

	c->produced_seen = atomic_load_explicit(&f->produced, memory_order_acquire);
	if (atomic_load_explicit(&c->consumed, memory_order_relaxed) != c->produced_seen)
		return READER_THREAD_READY;
	return ended ? READER_THREAD_END : READER_THREAD_EMPTY;
}

enum reader_thread_state reader_thread__peek_own(struct reader_thread *f, unsigned int worker,
						 const struct replay_io **io, uint64_t *number)
{
	struct reader_thread_consumer *c = &f->consumer[worker];
	unsigned int consumed = atomic_load_explicit(&c->consumed, memory_order_relaxed);
	enum reader_thread_state state = READER_THREAD_READY;

	while (consumed != c->produced_seen ||
	       (state = reader_thread__look(f, c)) == READER_THREAD_READY) {
		const struct reader_thread_place *place = &f->ring[consumed % READER_THREAD_IOS];

		*io = &place->io;
		if (place->owner == worker)
			break;
		reader_thread__pass(f, c);
		consumed++;
		c->number++;
	}
	*number = c->number;
	return state == READER_THREAD_EMPTY && filled(f, consumed) > READER_THREAD_IOS / 4
		       ? READER_THREAD_OTHERS
		       : state;
}

void reader_thread__advance_own(struct reader_thread *f, unsigned int worker)
{
	f->consumer[worker].number++;
	reader_thread__pass(f, &f->consumer[worker]);
}

int reader_thread__error(const struct reader_thread *f)
{
	return f->error;
}

void reader_thread__free(struct reader_thread *f)
{
	if (!f)
		return;
	atomic_store_explicit(&f->stop, true, memory_order_relaxed);
	pthread_join(f->thread, NULL);
	free(f);
}
