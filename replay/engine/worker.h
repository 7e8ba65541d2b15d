/* SPDX-License-Identifier: MIT */
/*
 * What an engine that is one of several workers needs beside its own: which of the IOs of the source are its own, what they
 * wait for, and what the others have to know of it.
 */
#ifndef BLKREEL_REPLAY_ENGINE_WORKER_H
#define BLKREEL_REPLAY_ENGINE_WORKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "replay/verify/durable.h"
#include "replay/engine/progress.h"
#include "replay/engine/reader_thread.h"
#include "replay/engine/in_flight.h"
#include "replay/engine/sharing.h"

/* Of all workers. */
struct worker_common {
	unsigned int workers;
	struct sharing *sharing;
	struct reader_thread *reader_thread;
	struct buffers *pattern; /* written by all */
	struct durable durable;	 /* under its lock, as the watch */
	struct engine_watch watch;
	pthread_mutex_t lock;
	atomic_uint in_flight, highest_depth;
};

struct worker_entry {
	uint64_t number;
	uint32_t slot;
};

struct worker {
	struct worker_common *common;
	unsigned int index;
	uint64_t next_number; /* of the IO that reader_thread__peek_own() gave, or see there */
	uint64_t *numbers;    /* of the IO that had the slot last */
	struct worker_entry
		*oldest; /* in their order; those that have completed may be among them */
	uint32_t first, end, capacity;
	uint32_t counted; /* in flight, as common->in_flight has it */
	bool head_waited; /* the next IO was counted as one that waited */
};

/* For up to `iodepth` IOs in flight. 0 or -ENOMEM; worker__free() in either case. */
int worker__init(struct worker *w, struct worker_common *common, unsigned int index,
		 uint32_t iodepth);
void worker__free(struct worker *w);

/* The next IO is in flight, in this slot. */
void worker__took(struct worker *w, const struct in_flight *flight, uint32_t slot);

/* Tells the others what has completed, and, when nothing is gathered that is not, what was submitted. */
void worker__completed(struct worker *w, const struct in_flight *flight);
void worker__submitted(struct worker *w);

/* So many of this worker are in flight. Those of all. */
uint32_t worker__count(struct worker *w, uint32_t in_flight);

#endif
