/*
 * A thread that takes IOs from a source ahead of time into a bounded ring with one producer and
 * one consumer, so that whoever submits them never waits for decoding.
 */
#ifndef BLKREEL_REPLAY_FEEDER_H
#define BLKREEL_REPLAY_FEEDER_H

#include "replay/source.h"

struct feeder;

enum feeder_state {
	FEEDER_READY = 0, /* *io is the next IO */
	FEEDER_EMPTY,	  /* the source is behind: ask again */
	FEEDER_END,	  /* the source ended, or failed: see feeder__error() */
};

/* Starts the thread, returns when the ring is full or the source ended. 0 or negative errno. */
int feeder__start(struct replay_source *source, struct feeder **feeder);

/* The next IO, which stays the next until feeder__advance(). */
enum feeder_state feeder__peek(struct feeder *f, const struct replay_io **io);
void feeder__advance(struct feeder *f);

/* What the source returned when it failed, else 0; known at FEEDER_END. */
int feeder__error(const struct feeder *f);

void feeder__free(struct feeder *f); /* ends the thread; NULL is allowed */

#endif
