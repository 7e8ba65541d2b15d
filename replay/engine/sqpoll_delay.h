/* SPDX-License-Identifier: MIT */
/*
 * How long IOs in the submission queue wait for the kernel's thread that takes them (SQPOLL). The
 * lateness does not include it. Arithmetic only, no clock and no IO.
 */
#ifndef BLKREEL_REPLAY_ENGINE_SQPOLL_DELAY_H
#define BLKREEL_REPLAY_ENGINE_SQPOLL_DELAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/histogram.h"

struct sqpoll_delay_batch {
	uint32_t tail; /* of the queue, behind the batch */
	uint32_t ios;
	uint64_t submitted_ns;
};

struct sqpoll_delay {
	struct sqpoll_delay_batch *batches; /* a ring */
	uint32_t capacity, first, count;
	uint64_t looked_ns;
};

/* Allocates for `iodepth` IOs in flight. 0 or -ENOMEM; sqpoll_delay__free() in either case. */
int sqpoll_delay__init(struct sqpoll_delay *p, uint32_t iodepth);
/* Frees the batches. */
void sqpoll_delay__free(struct sqpoll_delay *p);

/* True when the kernel's thread had not taken everything at the last sqpoll_delay__look(). */
static inline bool sqpoll_delay__waits(const struct sqpoll_delay *p)
{
	return p->count;
}

/*
 * `ios` (> 0) IOs were put into the queue, which now ends at `tail`. Called after a
 * sqpoll_delay__look().
 */
void sqpoll_delay__submitted(struct sqpoll_delay *p, uint32_t tail, uint32_t ios, uint64_t now_ns);

/*
 * The kernel's thread has come to `head` of the queue. Adds, for each IO that it took since the
 * last look, how long the IO was seen waiting: from its submission to that last look, or 0. The IO
 * waited at least that long.
 */
void sqpoll_delay__look(struct sqpoll_delay *p, uint32_t head, uint64_t now_ns,
			struct histogram *waited_ns);

#endif
