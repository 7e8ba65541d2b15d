/* SPDX-License-Identifier: MIT */
/* Starts several engines at the same moment, when the last of them is ready. */
#ifndef BLKREEL_REPLAY_ENGINE_START_GATE_H
#define BLKREEL_REPLAY_ENGINE_START_GATE_H

#include <stddef.h>
#include <stdint.h>

/* From the last arrival to the start, so that all threads are awake by then. */
#define START_GATE_LEAD_NS 2000000ull

struct start_gate;

/*
 * For `expected` engines, each of which calls start_gate__arrive() or start_gate__leave(). 0 or
 * negative errno.
 */
int start_gate__create(unsigned int expected, struct start_gate **gate);
void start_gate__free(struct start_gate *g); /* NULL is allowed */

/* Waits for the others. Returns the time of CLOCK_MONOTONIC at which all start. */
uint64_t start_gate__arrive(struct start_gate *g, uint64_t now_ns);

/* An engine ends: nobody waits for it any more. Without effect when the gate is open. */
void start_gate__leave(struct start_gate *g);

/*
 * Sets *start_ns to the CLOCK_MONOTONIC of a start by CLOCK_REALTIME; 0: leaves it. 0; -ETIME with a
 * `message`: that is past, so replays on other hosts have begun.
 */
int start_gate_by_day(uint64_t start_wall_ns, uint64_t *start_ns, char *message, size_t bytes);

#endif
