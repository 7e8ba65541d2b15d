/* SPDX-License-Identifier: MIT */
/* What a worker of io_uring slept for: the thread that waits for the completion of its request waits for that. */
#ifndef BLKREEL_EXPLAIN_WAITS_WORKER_SLEEPS_H
#define BLKREEL_EXPLAIN_WAITS_WORKER_SLEEPS_H

#include "explain/waits/open_sleeps.h"

/* The latest sleeps of one worker while it carried out requests. All zero: none. */
struct worker_sleeps {
	struct wait_row *rows; /* a ring */
	uint64_t count;	       /* that were ever added */
};

/* In the order of their ends. 0 or -ENOMEM. */
int worker_sleeps__add(struct worker_sleeps *w, const struct wait_row *row);
void worker_sleeps__free(struct worker_sleeps *w);

/*
 * Puts the worker's sleeps in the place of the part of `sleep` that begins with the first of them; what is before it
 * stays. The task is that of `sleep`, stack and waker are the worker's. *left_out_ns: the part in which the worker did
 * not sleep. 0 or -ENOMEM.
 */
int worker_sleeps__replace(const struct worker_sleeps *w, struct sleep *sleep,
			   uint64_t *left_out_ns);

#endif
