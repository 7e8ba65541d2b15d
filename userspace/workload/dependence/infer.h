/* SPDX-License-Identifier: MIT */
/*
 * What each IO waited for when it was recorded, as far as times and submitters tell, and how many
 * IOs were in flight.
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
#ifndef BLKREEL_WORKLOAD_DEPENDENCE_INFER_H
#define BLKREEL_WORKLOAD_DEPENDENCE_INFER_H

#include <stdbool.h>
#include <stdint.h>

/* The event from which the think time of an IO counts. */
enum replay_anchor {
	REPLAY_ANCHOR_START = 0, /* the start of the replay */
	REPLAY_ANCHOR_SUBMIT,	 /* the previous submission of its stream */
	REPLAY_ANCHOR_OWN,	 /* the own_completions-th completion of its stream */
	REPLAY_ANCHOR_OTHER,	 /* the other_completions-th of other_stream */
	REPLAY_ANCHOR_COUNT,
};

/* What an IO waited for when it was recorded. */
struct replay_wait {
	uint64_t think_ns;	    /* between the anchor and the submission */
	uint64_t own_completions;   /* so many IOs of its stream had completed before */
	uint64_t other_completions; /* and so many of other_stream; 0: none */
	uint32_t stream, other_stream;
	uint32_t depth;	    /* IOs in flight with this one; 0: not inferred */
	uint8_t anchor;	    /* enum replay_anchor */
	uint8_t uncounted;  /* its completion was not recorded, so no IO waits for it */
	uint8_t overflowed; /* another IO was taken as completed too early for it */
};

/* What the inference must know of an IO. */
struct dependence_io {
	uint64_t due_ns, done_ns; /* submission; completion, 0: not known */
	uint64_t offset_bytes, length_bytes;
	uint32_t task; /* who submitted it; 0: not known */
	bool write, flush;
	bool kernel;	 /* a thread of the kernel submitted it */
	bool background; /* nobody waited for it: writeback */
};

struct dependence;

int dependence__create(struct dependence **dependence); /* 0 or -ENOMEM */
void dependence__free(struct dependence *d);		/* NULL is allowed */

/* The next IO, by rising due_ns. 0 or -ENOMEM. */
int dependence__add(struct dependence *d, const struct dependence_io *io, struct replay_wait *wait);

/* Streams of the IOs so far. */
uint32_t dependence__streams(const struct dependence *d);

#endif
