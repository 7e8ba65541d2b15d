/* SPDX-License-Identifier: MIT */
/*
 * How long what was put into the submission queue of an io_uring waits until the thread of the kernel that takes it from there
 * (SQPOLL) comes to it, which no lateness shows. Arithmetic only, no clock and no IO.
 */
#ifndef BLKREEL_REPLAY_ENGINE_SQPOLL_PICKUP_H
#define BLKREEL_REPLAY_ENGINE_SQPOLL_PICKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/histogram.h"

struct pickup_batch {
	uint32_t tail; /* of the queue behind it */
	uint32_t ios;
	uint64_t submitted_ns;
};

struct pickup {
	struct pickup_batch *batches; /* a ring */
	uint32_t capacity, first, count;
	uint64_t looked_ns;
};

/* For up to `iodepth` IOs in flight. 0 or -ENOMEM; pickup__free() in either case. */
int pickup__init(struct pickup *p, uint32_t iodepth);
void pickup__free(struct pickup *p);

/* True when something is left that pickup__look() has not seen taken. */
static inline bool pickup__waits(const struct pickup *p)
{
	return p->count;
}

/* `ios` (> 0) were put into the queue, up to its `tail`. After a pickup__look(). */
void pickup__submitted(struct pickup *p, uint32_t tail, uint32_t ios, uint64_t now_ns);

/*
 * The thread has come to `head` of the queue. Adds, for each IO that was taken since the last look, how long it was seen to wait:
 * from its submission to that look, 0 when there was none between; it has waited so long or longer.
 */
void pickup__look(struct pickup *p, uint32_t head, uint64_t now_ns, struct histogram *waited_ns);

#endif
