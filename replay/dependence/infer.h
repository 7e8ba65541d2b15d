/* SPDX-License-Identifier: MIT */
/*
 * A source on top of another that adds to each IO what it waited for when it was recorded, as far as
 * times and submitters tell, and how many IOs were in flight.
 *
 * A stream is the IOs of one task. An IO waits for a number of completions of its own stream, of
 * whichever IOs: for all before it if nothing of the stream was in flight, otherwise for one more
 * than the IO before it did, if there was one more. This covers a task with one IO at a time, one
 * that keeps several in flight, and one that waits for a whole batch. The think time counts from
 * what an IO waited for. Between tasks:
 * - the first IO of a task waits for the last completion before it;
 * - an IO of a kernel thread waits for the last completion of another task that was not writeback,
 *   if that is later than its own (a journal's commit waits for the data before it);
 * - an IO of a task waits for a kernel thread that worked for the task, as a commit's fsync() does;
 * - a write that continues a log where another task's write ended waits for that write (log_end.h);
 * - no IO waits for writeback, which follows the progress of the others.
 */
#ifndef BLKREEL_REPLAY_DEPENDENCE_INFER_H
#define BLKREEL_REPLAY_DEPENDENCE_INFER_H

#include <stdint.h>

#include "replay/source/source.h"

struct dependence_counts {
	uint64_t anchors[REPLAY_ANCHOR_COUNT]; /* IOs, by the anchor of their think time */
	uint64_t uncounted;		       /* IOs of which no completion was recorded */
	uint64_t
		overflowed; /* IOs taken as completed too early, because too many were in flight at once */
	uint32_t streams;
};

/* `below` and `counts` must outlive the source; `below` is not freed with it. 0 or -ENOMEM. */
int dependence__create(struct replay_source *below, struct dependence_counts *counts,
		       struct replay_source **source);

#endif
