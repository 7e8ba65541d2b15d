/* SPDX-License-Identifier: MIT */
/* Cuts sleeps and calls off at the end of a part of a recording. Their parts are taken to be even over them. */
#ifndef BLKREEL_EXPLAIN_WAITS_END_CLIP_H
#define BLKREEL_EXPLAIN_WAITS_END_CLIP_H

#include "explain/figures/wait_cause.h"
#include "explain/waits/open_sleeps.h"

/* How much of a sleep or call is before `end_ns`. */
uint64_t end_clip_ns(const struct wait_row *row, uint64_t end_ns);

/* The same of the wait for a CPU after a sleep. */
uint64_t end_clip_run_queue_ns(const struct wait_row *sleep, uint64_t end_ns);

/* The same of the parts of a sleep. */
void end_clip_parts(const struct wait_row *sleep, uint64_t end_ns, uint64_t ns[CAUSE_COUNT]);

/* The same of a call. Its sleeps stay as they are. */
void end_clip_call(struct wait_row *call, const struct sleep *sleeps, uint64_t end_ns);

#endif
