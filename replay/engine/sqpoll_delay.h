/* SPDX-License-Identifier: MIT */
/*
 * How long what was put into the submission queue of an io_uring waits until the thread of the kernel that takes it from there
 * (SQPOLL) comes to it, which no lateness shows. Arithmetic only, no clock and no IO.
 */
#ifndef BLKREEL_REPLAY_ENGINE_SQPOLL_DELAY_H
#define BLKREEL_REPLAY_ENGINE_SQPOLL_DELAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/histogram.h"

struct sqpoll_delay_batch {
	uint32_t tail; /* of the queue behind it */
	uint32_t ios;
	uint64_t submitted_ns;
};

struct sqpoll_delay {
	struct sqpoll_delay_batch *batches; /* a ring */
	uint32_t capacity, first, count;
	uint64_t looked_ns;
};

/* For up to `iodepth` IOs in flight. 0 or -ENOMEM; sqpoll_delay__free() in either case. */
int sqpoll_delay__init(struct sqpoll_delay *p, uint32_t iodepth);
void sqpoll_delay__free(struct sqpoll_delay *p);

/* True when something is left that sqpoll_delay__look() has not seen taken. */
static inline bool sqpoll_delay__waits(const struct sqpoll_delay *p)
{
	return p->count;
}

/* `ios` (> 0) were put into the queue, up to its `tail`. After a sqpoll_delay__look(). */
void sqpoll_delay__submitted(struct sqpoll_delay *p, uint32_t tail, uint32_t ios, uint64_t now_ns);

/*
 * The thread has come to `head` of the queue. Adds, for each IO that was taken since the last look, how long it was seen to wait:
 * from its submission to that look, 0 when there was none between; it has waited so long or longer.
 */
void sqpoll_delay__look(struct sqpoll_delay *p, uint32_t head, uint64_t now_ns,
			struct histogram *waited_ns);

#endif
