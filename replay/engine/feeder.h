/* SPDX-License-Identifier: MIT */
/*
 * A thread that takes IOs from a source ahead of time into a bounded ring with one producer and
 * one consumer, so that whoever submits them never waits for decoding. Or with several workers as
 * consumers, of which each gets its own IOs.
 * A full ring is not filled again before half of it was consumed (by a single consumer).
 */
#ifndef BLKREEL_REPLAY_ENGINE_FEEDER_H
#define BLKREEL_REPLAY_ENGINE_FEEDER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "replay/engine/sharing.h"
#include "replay/source/source.h"

/* So far ahead of the last of its consumers it is at most. */
#define FEEDER_IOS (1u << 14)

/* How far ahead the consumer fetches what the producer wrote on another CPU. */
#define FEEDER_PREFETCH_IOS 8u

/* On lines of its own, of which the consumer touches the first alone in most modes. */
struct feeder_place {
	_Alignas(64) struct replay_io io;
	uint8_t owner; /* of several workers */
};

struct feeder_consumer {
	_Alignas(64) atomic_uint consumed;
	unsigned int produced_seen; /* saves it the producer's cache line */
	uint64_t number;	    /* of the IO at `consumed` */
};

/* For the functions below alone, of which two are called for each IO. */
struct feeder {
	struct replay_source *source;
	pthread_t thread;
	int error;
	atomic_bool stop;
	atomic_bool primed; /* the ring was full once, or the source ended */
	atomic_bool ended;
	struct sharing *sharing; /* of several consumers; else NULL */
	unsigned int consumers;
	_Alignas(64) atomic_uint produced;
	struct feeder_consumer consumer[SHARING_WORKERS_MAX];
	_Alignas(64) struct feeder_place ring[FEEDER_IOS];
};

enum feeder_state {
	FEEDER_READY = 0, /* *io is the next IO */
	FEEDER_EMPTY,	  /* the source is behind: ask again */
	FEEDER_END,	  /* the source ended, or failed: see feeder__error() */
	FEEDER_OTHERS,	  /* there are many, but for other workers */
};

/* Starts the thread, returns when the ring is full or the source ended. 0 or negative errno. */
int feeder__start(struct replay_source *source, struct feeder **feeder);

/* The same for `workers` consumers, among whom `sharing`, with a window of FEEDER_IOS, divides the IOs. */
int feeder__start_shared(struct replay_source *source, struct sharing *sharing,
			 unsigned int workers, struct feeder **feeder);

/* FEEDER_READY: there are more than the consumer has seen. */
enum feeder_state feeder__look(struct feeder *f, struct feeder_consumer *c);

/* The next IO, which stays the next until feeder__advance(). */
static inline enum feeder_state feeder__peek(struct feeder *f, const struct replay_io **io)
{
	struct feeder_consumer *c = &f->consumer[0];
	unsigned int consumed = atomic_load_explicit(&c->consumed, memory_order_relaxed);

	if (consumed == c->produced_seen) {
		enum feeder_state state = feeder__look(f, c);

		if (state != FEEDER_READY)
			return state;
	}
	*io = &f->ring[consumed % FEEDER_IOS].io;
	return FEEDER_READY;
}

static inline void feeder__pass(struct feeder *f, struct feeder_consumer *c)
{
	unsigned int consumed = atomic_load_explicit(&c->consumed, memory_order_relaxed);

	__builtin_prefetch(&f->ring[(consumed + FEEDER_PREFETCH_IOS) % FEEDER_IOS]);
	atomic_store_explicit(&c->consumed, consumed + 1, memory_order_release);
}

static inline void feeder__advance(struct feeder *f)
{
	feeder__pass(f, &f->consumer[0]);
}

/*
 * The same for one of several workers. *number is that of its next IO, as `sharing` counts them, or else of the first that it
 * has not looked at.
 */
enum feeder_state feeder__peek_own(struct feeder *f, unsigned int worker,
				   const struct replay_io **io, uint64_t *number);
void feeder__advance_own(struct feeder *f, unsigned int worker);

/* What the source returned when it failed, else 0; known at FEEDER_END. */
int feeder__error(const struct feeder *f);

void feeder__free(struct feeder *f); /* ends the thread; NULL is allowed */

#endif
