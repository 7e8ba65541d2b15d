/* SPDX-License-Identifier: MIT */
/* When an IO is due, and what to do until then: arithmetic only, no clock and no IO. */
#ifndef BLKREEL_REPLAY_ENGINE_SCHEDULE_H
#define BLKREEL_REPLAY_ENGINE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

struct schedule {
	uint64_t start_ns; /* when due time 0 is */
	double speed;	   /* > 0; 2: twice as fast as the source */
	uint64_t lead_ns;  /* the last part of a wait, which is polled: a sleep ends late */
};

/* How long a source's time takes at `speed`; saturates. */
static inline uint64_t schedule_scaled_ns(uint64_t source_ns, double speed)
{
	double scaled;

	if (speed == 1.0)
		return source_ns;
	scaled = (double)source_ns / speed;
	return scaled < 18446744073709551615.0 ? (uint64_t)scaled : UINT64_MAX;
}

/* start + due / speed; UINT64_MAX instead of an overflow. Exact at speed 1. */
uint64_t schedule_due_ns(const struct schedule *s, uint64_t source_due_ns);

/* How long to sleep now so that lead_ns before `due_ns` remains; 0: do not sleep. */
uint64_t schedule_sleep_ns(const struct schedule *s, uint64_t due_ns, uint64_t now_ns);

/* True when an IO is due so soon that completions are not taken before: each costs time. */
#define SCHEDULE_SOON_NS 2000ull

static inline bool schedule_is_soon(uint64_t due_ns, uint64_t now_ns)
{
	return due_ns <= now_ns || due_ns - now_ns < SCHEDULE_SOON_NS;
}

/* How many IOs may be in flight, and how often that limit held one back. */
struct schedule_depth {
	uint32_t limit;
	uint32_t in_flight;
	uint32_t highest;
	uint64_t held_back; /* IOs that were due and had to wait for a completion */
	bool head_is_held;
};

/* True: the next IO, which is due, may go and is counted in flight. False: it is held back. */
static inline bool schedule_depth_admit(struct schedule_depth *d)
{
	if (d->in_flight == d->limit) {
		d->held_back += !d->head_is_held;
		d->head_is_held = true;
		return false;
	}
	d->head_is_held = false;
	d->in_flight++;
	if (d->in_flight > d->highest)
		d->highest = d->in_flight;
	return true;
}

/*
 * Below the limit only: takes a place for the next IO, which counts as in flight when it is
 * confirmed. Or it is released.
 */
static inline void schedule_depth_reserve(struct schedule_depth *d)
{
	d->in_flight++;
}

/* The IO of a reserved place is in flight. */
static inline void schedule_depth_confirm(struct schedule_depth *d)
{
	d->head_is_held = false;
	if (d->in_flight > d->highest)
		d->highest = d->in_flight;
}

/* An IO is no longer in flight, or its reserved place is given up. */
static inline void schedule_depth_release(struct schedule_depth *d)
{
	d->in_flight--;
}

#endif
