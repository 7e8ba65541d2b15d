/* SPDX-License-Identifier: MIT */
/*
 * For how many completions to wait at a time while as many IOs are in flight as may be: to sleep and wake
 * for each of them costs a fast device up to a fifth of its IOPS. Arithmetic only, no clock and no IO.
 */
#ifndef BLKREEL_REPLAY_ENGINE_BATCH_WAIT_H
#define BLKREEL_REPLAY_ENGINE_BATCH_WAIT_H

#include <stdint.h>

/* So long a completion waits for others at the most. */
#define BATCH_WAIT_NS 100000ull

/*
 * After a wait that ended without all of its completions (the device is slow, or some of its IOs are stuck),
 * so many are taken one by one before the next attempt; twice as many each time that it fails again. With
 * 28 of 32 IOs stuck, the waits in vain are then less than a per cent of the time.
 */
#define BATCH_WAIT_SINGLE_MIN 64u
#define BATCH_WAIT_SINGLE_MAX 4096u

struct batch_wait {
	uint32_t count;	      /* 1: no batches */
	uint32_t single_left; /* completions to take one by one */
	uint32_t single_next; /* after the next failure */
};

/* A quarter of `iodepth`, at most `most` (>= 1). */
uint32_t batch_wait__default(uint32_t iodepth, uint32_t most);

/* 1 to .count. */
uint32_t batch_wait__next(const struct batch_wait *w);

/* A wait for batch_wait__next() has ended with `ready` completions. */
void batch_wait__ended(struct batch_wait *w, uint32_t ready);

#endif
