/* SPDX-License-Identifier: MIT */
/*
 * How long before an IO is due the engine stops sleeping and polls: from how late the timers of
 * this machine were. Arithmetic, except spin__measure().
 */
#ifndef BLKREEL_REPLAY_ENGINE_SPIN_H
#define BLKREEL_REPLAY_ENGINE_SPIN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/histogram.h"

/*
 * The lead covers SPIN_COVERED_PCT % of the wake-ups, plus SPIN_MARGIN_NS for what the thread does
 * before it can submit.
 */
#define SPIN_COVERED_PCT 99.5
#define SPIN_MARGIN_NS	 8000ull
#define SPIN_LEAST_NS	 16000ull
#define SPIN_MOST_NS	 1024000ull

/*
 * The last SPIN_FREE_NS before an IO are polled whatever it costs. What is polled before them takes
 * at most SPIN_SHARE_PCT % of a core, judged in windows of SPIN_WINDOW_NS.
 */
#define SPIN_FREE_NS   50000ull
#define SPIN_SHARE_PCT 50
#define SPIN_WINDOW_NS 100000000ull

#define SPIN_BUCKETS 128 /* of SPIN_MOST_NS / SPIN_BUCKETS each */

struct spin {
	uint64_t lead_ns;	   /* the result: poll from here to the due time */
	uint64_t highest_ns;	   /* that lead_ns was */
	uint64_t spun_ns;	   /* polled in all */
	bool limited;		   /* the share of a core held the lead below what timers ask for */
	struct histogram *late_ns; /* of all wake-ups; not owned */
	uint64_t covers_ns;	   /* what timers ask for */
	uint64_t limit_ns;	   /* what the share of a core allows */
	uint32_t counts[SPIN_BUCKETS + 1], count; /* the recent wake-ups; the older ones fade */
	unsigned int uncounted;			  /* since covers_ns was found */
	uint64_t began_ns;			  /* of polling; 0: sleeps or submits */
	uint64_t window_ns, window_spun_ns;
};

/* Starts without a lead; wake-ups are added to `late_ns`, too. */
void spin__init(struct spin *s, struct histogram *late_ns);

/*
 * Sleeps SPIN_FIRST_WAKEUPS times for 100 us (some 10 ms in all) in the calling thread, with its
 * priority and timer slack, and adds each wake-up. Ends early when *stop is set (NULL: never).
 */
#define SPIN_FIRST_WAKEUPS 48
void spin__measure(struct spin *s, const volatile sig_atomic_t *stop);

/* The thread asked for a wake-up and got it so much later. */
void spin__woke(struct spin *s, uint64_t late_ns);

/* The thread polls, or goes on polling. */
static inline void spin__polls(struct spin *s, uint64_t now_ns)
{
	if (!s->began_ns)
		s->began_ns = now_ns;
}

/* Ends polling that spin__polls() began: counts it and judges its share of a core. */
void spin__account(struct spin *s, uint64_t now_ns);

/* The thread submits or sleeps. */
static inline void spin__ended(struct spin *s, uint64_t now_ns)
{
	if (s->began_ns)
		spin__account(s, now_ns);
}

#endif
