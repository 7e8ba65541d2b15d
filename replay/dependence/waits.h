/* SPDX-License-Identifier: MIT */
/* What each IO of a workload waited for, as replay --mode dependent infers it. */
#ifndef BLKREEL_REPLAY_DEPENDENCE_WAITS_H
#define BLKREEL_REPLAY_DEPENDENCE_WAITS_H

#include "profile/io_wait.h"
#include "trace/rows.h"

struct waits;

/* Creates it; tasks are numbered from `first_task` + 1. 0 or -ENOMEM. */
int waits__create(uint32_t first_task, struct waits **waits);
void waits__free(struct waits *w); /* NULL is allowed */

/*
 * Adds the next request by rising created_ns, all times on one clock; `task` is NULL when not
 * known. 1: *waited says what it waited for; 0: its submitter or completion is not known; negative
 * errno.
 */
int waits__add(struct waits *w, const struct io_row *row, const struct trace_task *task,
	       struct io_wait *waited);

uint32_t waits__tasks(const struct waits *w); /* the highest task number so far */

#endif
