/* SPDX-License-Identifier: MIT */
/*
 * What an engine needs if it is one of several workers: which IOs of the source are its own, what
 * they wait for, and what it publishes for the others.
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
	struct buffers *pattern; /* all write from it */
	struct durable durable;	 /* guarded by `lock`, as `progress` is */
	struct progress progress;
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
	uint64_t next_number;	     /* as reader_thread__peek_own() gave it */
	uint64_t *numbers;	     /* by slot: of the last IO in it */
	struct worker_entry *oldest; /* in their order; some may have completed */
	uint32_t first, end, capacity;
	uint32_t counted; /* IOs of this worker in common->in_flight */
	bool head_waited; /* the next IO was counted as one that waited */
};

/* Allocates for `iodepth` IOs in flight. 0 or -ENOMEM; worker__free() in either case. */
int worker__init(struct worker *w, struct worker_common *common, unsigned int index,
		 uint32_t iodepth);
/* Frees the lists. */
void worker__free(struct worker *w);

/* The next IO is in flight, in this slot. */
void worker__took(struct worker *w, const struct in_flight *flight, uint32_t slot);

/* Publishes what has completed. */
void worker__completed(struct worker *w, const struct in_flight *flight);
/* Publishes that every IO that was gathered is submitted. */
void worker__submitted(struct worker *w);

/* Sets how many IOs of this worker are in flight. Returns how many of all workers are. */
uint32_t worker__count(struct worker *w, uint32_t in_flight);

#endif
