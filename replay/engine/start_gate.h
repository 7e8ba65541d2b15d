/* SPDX-License-Identifier: MIT */
/* Several engines that start at the same moment, when the last of them is ready. */
#ifndef BLKREEL_REPLAY_ENGINE_START_GATE_H
#define BLKREEL_REPLAY_ENGINE_START_GATE_H

#include <stdint.h>

/* From the last one's arrival to the start: so that all are awake by then. */
#define START_GATE_LEAD_NS 2000000ull

struct start_gate;

/* For so many that will each call start_gate__arrive() or start_gate__leave(). 0 or negative errno. */
int start_gate__create(unsigned int expected, struct start_gate **gate);
void start_gate__free(struct start_gate *g); /* NULL is allowed */

/* Waits for the others. The time of CLOCK_MONOTONIC to start at, which is the same for all. */
uint64_t start_gate__arrive(struct start_gate *g, uint64_t now_ns);

/* Called by whoever ends, too: without effect when the gate is open, else nobody waits for it. */
void start_gate__leave(struct start_gate *g);

#endif
