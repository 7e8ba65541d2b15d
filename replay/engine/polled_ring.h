/* SPDX-License-Identifier: MIT */
/*
 * A second io_uring of a replay, which polls for completions instead of being told by interrupts
 * (IORING_SETUP_IOPOLL). It takes reads and writes; all other ops stay with the first ring.
 */
#ifndef BLKREEL_REPLAY_ENGINE_POLLED_RING_H
#define BLKREEL_REPLAY_ENGINE_POLLED_RING_H

#include <liburing.h>
#include <stdbool.h>
#include <stdint.h>

#include "replay/engine/options.h"

struct polled_ring {
	struct io_uring uring;
	bool open;	    /* else nothing is ever in flight here */
	uint32_t queued;    /* queued and not submitted */
	uint32_t in_flight; /* submitted */
};

/*
 * Opens it. 0; negative errno with a sentence in `message`: this kernel, the file system or the
 * device cannot poll. Reads nothing from the target.
 */
int polled_ring__open(struct polled_ring *p, const struct engine_options *options,
		      char message[ENGINE_MESSAGE_MAX]);
/* Closes it, if it is open. */
void polled_ring__close(struct polled_ring *p);

/* True when it is open and can carry this IO. */
static inline bool polled_ring__takes(const struct polled_ring *p, const struct replay_io *io)
{
	return p->open && replay_op_has_data(io->op) && !(io->flags & REPLAY_PREFLUSH);
}

/* Submits what was queued. 0; negative errno as of io_uring_submit(). */
int polled_ring__submit(struct polled_ring *p);

/* Polls once; then completions can be peeked at. 0 or negative errno. */
int polled_ring__look(struct polled_ring *p);

#endif
