/* SPDX-License-Identifier: MIT */
/*
 * A thread that reads IOs ahead from a source into a bounded ring, so that the submitting thread
 * never waits for decoding. The ring has one producer, and one consumer or several workers, each of
 * which gets its own IOs. With one consumer, a full ring is refilled only when half of it was
 * consumed.
 */
#ifndef BLKREEL_REPLAY_ENGINE_READER_THREAD_H
#define BLKREEL_REPLAY_ENGINE_READER_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "replay/engine/sharing.h"
#include "replay/source/source.h"

/* It is at most so many IOs ahead of its last consumer. */
#define READER_THREAD_IOS (1u << 14)

/* How far ahead the consumer prefetches what the producer wrote on another CPU. */
#define READER_THREAD_PREFETCH_IOS 8u

/* On cache lines of its own; the consumer reads only the first in most modes. */
struct reader_thread_place {
	_Alignas(64) struct replay_io io;
	uint8_t owner; /* the worker, if there are several */
};

struct reader_thread_consumer {
	_Alignas(64) atomic_uint consumed;
	unsigned int produced_seen; /* avoids reading the producer's cache line */
	uint64_t number;	    /* of the IO at `consumed` */
};

/* Only for the functions below; it is here because two of them are inlined. */
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
	READER_THREAD_OTHERS,	 /* the ring is full of IOs for other workers */
};

/*
 * Starts the thread, and returns when the ring is full or the source has ended. 0 or negative
 * errno.
 */
int reader_thread__start(struct replay_source *source, struct reader_thread **reader_thread);

/*
 * The same for `workers` consumers; `sharing`, with a window of READER_THREAD_IOS, divides the IOs
 * among them.
 */
int reader_thread__start_shared(struct replay_source *source, struct sharing *sharing,
				unsigned int workers, struct reader_thread **reader_thread);

/* Looks what the producer has added. READER_THREAD_READY: more than the consumer has seen. */
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

/* Gives the place of the next IO back to the producer. */
static inline void reader_thread__pass(struct reader_thread *f, struct reader_thread_consumer *c)
{
	unsigned int consumed = atomic_load_explicit(&c->consumed, memory_order_relaxed);

	__builtin_prefetch(&f->ring[(consumed + READER_THREAD_PREFETCH_IOS) % READER_THREAD_IOS]);
	atomic_store_explicit(&c->consumed, consumed + 1, memory_order_release);
}

/* Goes on behind the IO that reader_thread__peek() gave. */
static inline void reader_thread__advance(struct reader_thread *f)
{
	reader_thread__pass(f, &f->consumer[0]);
}

/*
 * As reader_thread__peek(), for one of several workers. *number is that of its next IO, as
 * `sharing` counts them; if there is none, that of the first IO that the worker has not looked at.
 */
enum reader_thread_state reader_thread__peek_own(struct reader_thread *f, unsigned int worker,
						 const struct replay_io **io, uint64_t *number);
/* Goes on behind the IO that reader_thread__peek_own() gave. */
void reader_thread__advance_own(struct reader_thread *f, unsigned int worker);

/* The errno of a source that failed, else 0; known at READER_THREAD_END. */
int reader_thread__error(const struct reader_thread *f);

void reader_thread__free(struct reader_thread *f); /* ends the thread; NULL is allowed */

#endif
