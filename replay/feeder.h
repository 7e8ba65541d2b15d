/*
 * A thread that takes IOs from a source ahead of time into a bounded ring with one producer and
 * one consumer, so that whoever submits them never waits for decoding. Or with several workers as
 * consumers, of which each gets its own IOs.
 */
#ifndef BLKREEL_REPLAY_FEEDER_H
#define BLKREEL_REPLAY_FEEDER_H

#include "replay/sharing.h"
#include "replay/source.h"

/* So far ahead of the last of its consumers it is at most. */
#define FEEDER_IOS (1u << 14)

struct feeder;

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

/* The next IO, which stays the next until feeder__advance(). */
enum feeder_state feeder__peek(struct feeder *f, const struct replay_io **io);
void feeder__advance(struct feeder *f);

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
