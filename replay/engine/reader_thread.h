/* SPDX-License-Identifier: MIT */
/*
 * A thread that takes IOs from a source ahead of time into a bounded ring with one producer and
 * one consumer, so that whoever submits them never waits for decoding. Or with several workers as
 * consumers, of which each gets its own IOs.
 * A full ring is not filled again before half of it was consumed (by a single consumer).
 */
#ifndef BLKREEL_REPLAY_ENGINE_READER_THREAD_H
#define BLKREEL_REPLAY_ENGINE_READER_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "replay/engine/sharing.h"
#include "replay/source/source.h"

/* So far ahead of the last of its consumers it is at most. */
#define READER_THREAD_IOS (1u << 14)

/* How far ahead the consumer fetches what the producer wrote on another CPU. */
#define READER_THREAD_PREFETCH_IOS 8u

/* On lines of its own, of which the consumer touches the first alone in most modes. */
struct reader_thread_place {
	_Alignas(64) struct replay_io io;
	uint8_t owner; /* of several workers */
};

struct reader_thread_consumer {
	_Alignas(64) atomic_uint consumed;
	unsigned int produced_seen; /* saves it the producer's cache line */
	uint64_t number;	    /* of the IO at `consumed` */
};

/* For the functions below alone, of which two are called for each IO. */
struct reader_thread {
	struct replay_source *source;
	pthread_t thread;
	int error;
	atomic_bool stop;
	atomic_bool primed; /* the ring was full once, or the source ended */
	atomic_bool ended;
	struct sharing *sharing; /* of several consumers; else NULL */
	unsigned int consumers;
	_Alignas(64) atomic_uint produced;
	struct reader_thread_consumer consumer[SHARING_WORKERS_MAX];
	_Alignas(64) struct reader_thread_place ring[READER_THREAD_IOS];
};

enum reader_thread_state {
	READER_THREAD_READY = 0, /* *io is the next IO */
	READER_THREAD_EMPTY,	 /* the source is behind: ask again */
	READER_THREAD_END,	 /* the source ended, or failed: see reader_thread__error() */
	READER_THREAD_OTHERS,	 /* there are many, but for other workers */
};

/* Starts the thread, returns when the ring is full or the source ended. 0 or negative errno. */
int reader_thread__start(struct replay_source *source, struct reader_thread **reader_thread);

/* The same for `workers` consumers, among whom `sharing`, with a window of READER_THREAD_IOS, divides the IOs. */
int reader_thread__start_shared(struct replay_source *source, struct sharing *sharing,
				unsigned int workers, struct reader_thread **reader_thread);

/* READER_THREAD_READY: there are more than the consumer has seen. */
enum reader_thread_state reader_thread__look(struct reader_thread *f,
					     struct reader_thread_consumer *c);

/* The next IO, which stays the next until reader_thread__advance(). */
static inline enum reader_thread_state reader_thread__peek(struct reader_thread *f,
							   const struct replay_io **io)
{
	struct reader_thread_consumer *c = &f->consumer[0];
	unsigned int consumed = atomic_load_explicit(&c->consumed, memory_order_relaxed);

	if (consumed == c->produced_seen) {
		enum reader_thread_state state = reader_thread__look(f, c);

		if (state != READER_THREAD_READY)
			return state;
	}
	*io = &f->ring[consumed % READER_THREAD_IOS].io;
	return READER_THREAD_READY;
}

static inline void reader_thread__pass(struct reader_thread *f, struct reader_thread_consumer *c)
{
	unsigned int consumed = atomic_load_explicit(&c->consumed, memory_order_relaxed);

	__builtin_prefetch(&f->ring[(consumed + READER_THREAD_PREFETCH_IOS) % READER_THREAD_IOS]);
	atomic_store_explicit(&c->consumed, consumed + 1, memory_order_release);
}

static inline void reader_thread__advance(struct reader_thread *f)
{
	reader_thread__pass(f, &f->consumer[0]);
}

/*
 * The same for one of several workers. *number is that of its next IO, as `sharing` counts them, or else of the first that it
 * has not looked at.
 */
enum reader_thread_state reader_thread__peek_own(struct reader_thread *f, unsigned int worker,
						 const struct replay_io **io, uint64_t *number);
void reader_thread__advance_own(struct reader_thread *f, unsigned int worker);

/* What the source returned when it failed, else 0; known at READER_THREAD_END. */
int reader_thread__error(const struct reader_thread *f);

void reader_thread__free(struct reader_thread *f); /* ends the thread; NULL is allowed */

#endif
