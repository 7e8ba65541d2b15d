/* SPDX-License-Identifier: MIT */
/*
 * How many completions to wait for at a time while the ring is full. Waking for each completion
 * costs a fast device up to a fifth of its IOPS. Arithmetic only, no clock and no IO.
 */
#ifndef BLKREEL_REPLAY_ENGINE_BATCH_WAIT_H
#define BLKREEL_REPLAY_ENGINE_BATCH_WAIT_H

#include <stdint.h>

/* A completion waits at most this long for others. */
#define BATCH_WAIT_NS 100000ull

/*
 * After a wait that timed out (the device is slow, or some of its IOs are stuck), so many
 * completions are taken one by one before the next attempt, and twice as many each time that it
 * fails again. With 28 of 32 IOs stuck, the failed waits take less than 1 % of the time.
 */
#define BATCH_WAIT_SINGLE_MIN 64u
#define BATCH_WAIT_SINGLE_MAX 4096u

struct batch_wait {
	uint32_t count;	      /* 1: no batches */
	uint32_t single_left; /* completions to take one by one */
	uint32_t single_next; /* after the next failure */
};

/* The default: a quarter of `iodepth`, at most `most` (>= 1). */
uint32_t batch_wait__default(uint32_t iodepth, uint32_t most);

/* How many completions to wait for next: 1 to .count. */
uint32_t batch_wait__next(const struct batch_wait *w);

/* A wait for batch_wait__next() has ended with `ready` completions. */
void batch_wait__ended(struct batch_wait *w, uint32_t ready);

#endif
