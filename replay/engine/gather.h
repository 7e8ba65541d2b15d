/* SPDX-License-Identifier: MIT */
/*
 * Which IOs of an engine go next: takes from the source those that are due and may go, queues them
 * in the rings and counts them in flight. Submits nothing.
 */
#ifndef BLKREEL_REPLAY_ENGINE_GATHER_H
#define BLKREEL_REPLAY_ENGINE_GATHER_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/engine/options.h"
#include "replay/engine/result.h"
#include "replay/engine/ring.h"
#include "replay/engine/reader_thread.h"
#include "replay/engine/in_flight.h"
#include "replay/engine/schedule.h"

#define ENGINE_OUTSIDE_TEXT "the source asked for an IO outside of the target"
#define ENGINE_CHANGED_TEXT \
	"the source changed while it was replayed: it asked for an IO longer than all of before"

enum gathered {
	GATHERED_FULL = 0, /* a batch is queued, there may be more */
	GATHERED_HELD,	   /* the next IO has to wait for a completion */
	GATHERED_NOT_DUE,  /* the next IO is due at *due_ns */
	GATHERED_STARVED,
	GATHERED_END,
	GATHERED_OTHERS,  /* the IOs that are ready are for other workers */
	GATHERED_ORDERED, /* the next IO has to wait for another worker */
	GATHERED_FAILED,  /* see .error and .message */
};

/* The pointers belong to the engine, which sets them before the first engine_gather__next(). */
struct engine_gather {
	const struct engine_options *options;
	struct engine_result *result;
	struct engine_ring *ring;
	struct reader_thread *reader_thread;
	const struct schedule *schedule;
	struct in_flight *flight;
	struct worker *worker;		  /* of one of several workers; else NULL */
	bool special;			  /* a worker, or mode dependent */
	char *message;			  /* ENGINE_MESSAGE_MAX */
	bool head_is_ordered;		  /* the next IO was counted in result->ordered */
	bool is_starved;		  /* counted in result->starved */
	bool staged;			  /* the batch is one IO, which is not due yet */
	uint32_t batch[ENGINE_BATCH_MAX]; /* the slots of IOs that are queued and not submitted */
	unsigned int batch_count;	  /* set to 0 by the caller when it has submitted them */
	uint64_t staged_due_ns;
	uint32_t staged_flags, staged_left_out; /* of the staged IO */
	uint64_t last_due_ns;			/* result->last_due_ns without the staged one */
	int error;				/* negative errno */
};

/*
 * Queues the IOs that are due and counts them in flight, up to one batch. With GATHERED_NOT_DUE the
 * batch may hold one IO that is `staged`: the caller may submit it only after a later call has
 * cleared `staged`.
 */
enum gathered engine_gather__next(struct engine_gather *g, uint64_t *due_ns);

/* Gives up the staged IO, if there is one, when the replay ends before it is due. */
void engine_gather__unstage(struct engine_gather *g);

#endif
