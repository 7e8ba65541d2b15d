// SPDX-License-Identifier: MIT
#include "replay/engine/batch_wait.h"

uint32_t batch_wait__default(uint32_t iodepth, uint32_t most)
{
	uint32_t count = iodepth / 4;

	if (count > most)
		return most;
	return count ? count : 1;
}

uint32_t batch_wait__next(const struct batch_wait *w)
{
	return w->single_left || !w->count ? 1 : w->count;
}

void batch_wait__ended(struct batch_wait *w, uint32_t ready)
{
	if (w->single_left) {
		w->single_left -= ready < w->single_left ? ready : w->single_left;
	} else if (ready >= w->count) {
		w->single_next = BATCH_WAIT_SINGLE_MIN;
	} else {
		if (!w->single_next)
			w->single_next = BATCH_WAIT_SINGLE_MIN;
		w->single_left = w->single_next;
		if (w->single_next < BATCH_WAIT_SINGLE_MAX)
			w->single_next *= 2;
	}
}
