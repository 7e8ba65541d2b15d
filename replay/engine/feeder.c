// SPDX-License-Identifier: MIT
#include "replay/engine/feeder.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

/*
 * A ring that is full is filled again when half of it is gone, which lasts 2.7 ms at 3 million IOs a second. Filled at
 * once while a crowd of IOs is under way, it would take the CPU from the threads of the kernel that carry these out.
 * Not with several consumers: those of one may wait behind what another has not taken yet.
 */
#define FULL_UNTIL_IOS (FEEDER_IOS / 2)
#define FULL_SLEEP_NS  2000000l

/* Given to the consumer at once: each time costs both a cache line of the other. */
#define BATCH_IOS 32u

static void sleep_a_moment(void)
{
	struct timespec moment = {.tv_nsec = FULL_SLEEP_NS};

	nanosleep(&moment, NULL);
}

/* How many IOs the last of the consumers has before it. */
static unsigned int filled(struct feeder *f, unsigned int produced)
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

/* For a batch; FEEDER_IOS is a whole number of them. */
static bool wait_for_space(struct feeder *f, unsigned int produced)
{
	unsigned int most = FEEDER_IOS - BATCH_IOS;

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

/* 1: a whole batch; 0: the source ended; negative errno. What it gave before that is given on. */
static int feed_batch(struct feeder *f, unsigned int *produced)
{
	unsigned int end = *produced + BATCH_IOS;
	struct sharing *sharing = f->sharing;
	int err = 1;

	while (*produced != end) {
		struct feeder_place *place = &f->ring[*produced % FEEDER_IOS];

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
	struct feeder *f = argument;
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

int feeder__start_shared(struct replay_source *source, struct sharing *sharing,
			 unsigned int workers, struct feeder **feeder)
{
	struct feeder *f = aligned_alloc(64, sizeof(*f));
	int err;

	if (!f)
		return -ENOMEM;
	f->source = source;
	f->error = 0;
	f->sharing = sharing;
	f->consumers = workers;
	for (unsigned int i = 0; i < workers; i++)
		f->consumer[i] = (struct feeder_consumer){.consumed = 0};
	atomic_init(&f->stop, false);
	atomic_init(&f->primed, false);
	atomic_init(&f->ended, false);
	atomic_init(&f->produced, 0);
	err = pthread_create(&f->thread, NULL, feed, f);
	if (err) {
		free(f);
		return -err;
	}
	while (!atomic_load_explicit(&f->primed, memory_order_acquire))
		sleep_a_moment();
	*feeder = f;
	return 0;
}

int feeder__start(struct replay_source *source, struct feeder **feeder)
{
	return feeder__start_shared(source, NULL, 1, feeder);
}

enum feeder_state feeder__look(struct feeder *f, struct feeder_consumer *c)
{
	/* In this order: what is produced before the end is seen before the end. */
	bool ended = atomic_load_explicit(&f->ended, memory_order_acquire);

	c->produced_seen = atomic_load_explicit(&f->produced, memory_order_acquire);
	if (atomic_load_explicit(&c->consumed, memory_order_relaxed) != c->produced_seen)
		return FEEDER_READY;
	return ended ? FEEDER_END : FEEDER_EMPTY;
}

enum feeder_state feeder__peek_own(struct feeder *f, unsigned int worker,
				   const struct replay_io **io, uint64_t *number)
{
	struct feeder_consumer *c = &f->consumer[worker];
	unsigned int consumed = atomic_load_explicit(&c->consumed, memory_order_relaxed);
	enum feeder_state state = FEEDER_READY;

	while (consumed != c->produced_seen || (state = feeder__look(f, c)) == FEEDER_READY) {
		const struct feeder_place *place = &f->ring[consumed % FEEDER_IOS];

		*io = &place->io;
		if (place->owner == worker)
			break;
		feeder__pass(f, c);
		consumed++;
		c->number++;
	}
	*number = c->number;
	return state == FEEDER_EMPTY && filled(f, consumed) > FEEDER_IOS / 4 ? FEEDER_OTHERS
									     : state;
}

void feeder__advance_own(struct feeder *f, unsigned int worker)
{
	f->consumer[worker].number++;
	feeder__pass(f, &f->consumer[worker]);
}

int feeder__error(const struct feeder *f)
{
	return f->error;
}

void feeder__free(struct feeder *f)
{
	if (!f)
		return;
	atomic_store_explicit(&f->stop, true, memory_order_relaxed);
	pthread_join(f->thread, NULL);
	free(f);
}
