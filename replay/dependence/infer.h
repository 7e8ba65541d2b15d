/* SPDX-License-Identifier: MIT */
/*
 * A source on top of another that adds to each IO what it waited for when it was recorded, as far
 * as times and submitters tell, and how many IOs were in flight.
 *
 * A stream is the IOs of one task. An IO waits for a number of completions of its own stream,
 * whichever IOs they are of: for all of those before it when nothing of the stream was in flight,
 * else for one more than the IO before it did, when there was one. So a task with one IO at a
 * time, one that keeps several going and one that waits for all of a batch are each what they
 * were. The think time counts from what an IO waited for. Between tasks:
 * - the first IO of a task waits for the last completion before it;
 * - one of a kernel thread waits for the last one of a task that was not writeback, if that is
 *   later than its own (a journal's commit, for the data before it);
 * - one of a task waits for a kernel thread that worked for it, as a commit's fsync() does;
 * - a write that goes on in a log where another task's write ended waits for that one (log_end.h);
 * - nobody waits for writeback, which follows the progress of the others.
 */
#ifndef BLKREEL_REPLAY_DEPENDENCE_INFER_H
#define BLKREEL_REPLAY_DEPENDENCE_INFER_H

#include <stdint.h>

#include "replay/source/source.h"

struct dependence_counts {
	uint64_t anchors[REPLAY_ANCHOR_COUNT]; /* IOs, by what they waited for last */
	uint64_t uncounted;		       /* IOs of which no completion was recorded */
	uint64_t overflowed; /* taken as completed early: too many were in flight at once */
	uint32_t streams;
};

/* `below` and `counts` must outlive the source; `below` is not freed with it. 0 or -ENOMEM. */
int dependence__create(struct replay_source *below, struct dependence_counts *counts,
		       struct replay_source **source);

#endif
