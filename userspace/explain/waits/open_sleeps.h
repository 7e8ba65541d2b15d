/* SPDX-License-Identifier: MIT */
/*
 * The sleeps of calls, kept until their call is asked for. Rows of one moment come in any order: a
 * task that changes its CPU in a call leaves its sleeps and the call in two buffers.
 */
#ifndef BLKREEL_EXPLAIN_WAITS_OPEN_SLEEPS_H
#define BLKREEL_EXPLAIN_WAITS_OPEN_SLEEPS_H

#include <stdbool.h>

#include "trace/rows.h"

/* In the order of their beginnings. */
struct sleep {
	struct sleep *next;
	struct wait_row row;
};

struct open_call; /* a call with its sleeps */

/* The calls of one task. All zero: none. */
struct open_sleeps {
	struct open_call *by_call;
};

/* Keeps a sleep of the call that began at row->call_ns. 0 or -ENOMEM. */
int open_sleeps__add(struct open_sleeps *o, const struct wait_row *row);
/* Hands over the sleeps of the call that began at call_ns: the caller frees them with sleep__free(). Drops those of
 * calls that began before drop_ns: such a call is missing. */
struct sleep *open_sleeps__take(struct open_sleeps *o, uint64_t call_ns, uint64_t drop_ns);
void open_sleeps__free(struct open_sleeps *o);

void sleep__free(struct sleep *first); /* the whole list; NULL is allowed */

/* Cuts off what an earlier file of the recording has: before `from_ns`. False: nothing is left. */
bool sleep_row_clip(struct wait_row *sleep, uint64_t from_ns);

/* The same of a call and its sleeps. The time that it ran or waited for a CPU is taken to be even over the time that it
 * did not sleep. */
bool call_row_clip(struct wait_row *call, struct sleep *sleeps, uint64_t from_ns);

#endif
