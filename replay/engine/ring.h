/* SPDX-License-Identifier: MIT */
/*
 * The io_uring of a replay: set up with the best features of this kernel, and how each op is
 * queued.
 */
#ifndef BLKREEL_REPLAY_ENGINE_RING_H
#define BLKREEL_REPLAY_ENGINE_RING_H

#include <liburing.h>
#include <stdbool.h>
#include <stdint.h>

#include "replay/engine/buffers.h"
#include "replay/engine/options.h"
#include "replay/engine/io_priority.h"
#include "replay/engine/polled_ring.h"

struct engine_ring {
	struct io_uring uring;
	int fd;
	bool block_device;
	bool fixed_file;
	bool fixed_buffers;
	uint64_t fixed_bytes;	 /* longer IOs are not from registered memory */
	bool uring_discard;	 /* discards of a block device need no blocking ioctl */
	bool waits_with_timeout; /* a wait has a timeout of its own: Linux 5.11 */
	struct polled_ring polled;
	struct io_uring_sqe
		plain[REPLAY_WRITE + 1]; /* everything except address, length and slot */
	struct buffers *buffers;
	struct io_priority priority;
};

/* Opens the ring. 0; negative errno with a sentence in `message`, and nothing to close. */
int engine_ring__open(struct engine_ring *r, const struct engine_options *options,
		      struct buffers *buffers, char message[ENGINE_MESSAGE_MAX]);
/* Closes the ring and its polled ring. */
void engine_ring__close(struct engine_ring *r);

/* True when the op has to be done with engine_ring__blocking(). */
static inline bool engine_ring__blocks(const struct engine_ring *r, const struct replay_io *io)
{
	return r->block_device &&
	       (io->op == REPLAY_ZONE || (io->op == REPLAY_DISCARD && !r->uring_discard));
}

/* Does the op and waits for it. 0 or negative errno, as in a completion. */
int engine_ring__blocking(const struct engine_ring *r, const struct replay_io *io);

/*
 * Queues `io`; the ring has two free entries. Its completion carries `slot`; the flush before a
 * REPLAY_PREFLUSH write has its own completion, which carries slot | ENGINE_RING_FLUSH_PART. An IO
 * that `polled` takes is queued there.
 */
#define ENGINE_RING_FLUSH_PART (1ull << 32)
void engine_ring__queue(struct engine_ring *r, const struct replay_io *io, uint32_t slot);

/*
 * SQPOLL: how far the kernel's thread has come in the submission queue, and where the queue ends.
 */
static inline uint32_t engine_ring__taken(const struct engine_ring *r)
{
	return io_uring_smp_load_acquire(r->uring.sq.khead);
}

static inline uint32_t engine_ring__tail(const struct engine_ring *r)
{
	return r->uring.sq.sqe_tail;
}

/*
 * Undoes the last engine_ring__queue(), of an IO with or without `preflush`, if nothing was
 * submitted since.
 */
void engine_ring__take_back(struct engine_ring *r, bool preflush);

/*
 * Submits what is queued, and waits for `count` completions, a signal or `timeout_ns`, which kernels before Linux 5.11 do
 * not know. How many were submitted, or a negative errno: -ETIME and -EINTR, too.
 */
int engine_ring__submit_and_wait(struct engine_ring *r, unsigned int count, uint64_t timeout_ns);

/*
 * The same for one completion, in two calls: an IO that ends during the first, or while it has this thread wait for the CPU,
 * needs no sleep. A thread that sleeps has to wait for a CPU again, on a busy machine for longer than the IO takes.
 */
int engine_ring__submit_then_wait(struct engine_ring *r, uint64_t timeout_ns);

#endif
