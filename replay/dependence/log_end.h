/* SPDX-License-Identifier: MIT */
/*
 * Recent writes, to see when a task writes on where another one's write ended, as several do who
 * append to one log in turn. Such a write waited for the other, and for the flush that made that
 * one durable: who appends holds the log's lock until then. Whether appenders do wait is counted:
 * where they also write on while the other is in flight, nothing is concluded.
 */
#ifndef BLKREEL_REPLAY_DEPENDENCE_LOG_END_H
#define BLKREEL_REPLAY_DEPENDENCE_LOG_END_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/source/source.h"

/* Writes looked back at, of all tasks. */
#define LOG_END_WRITES 64u

struct log_write {
	uint64_t offset_bytes, end_bytes;
	uint64_t done_ns; /* of the write, or of the flush behind it once that has completed */
	uint64_t count;	  /* of the stream's completions, with that one; 0: in flight */
	uint32_t stream;
	bool durable;
};

struct log_end {
	uint64_t written; /* so many were given */
	uint64_t in_turn; /* writes that went on from one that had completed */
	uint64_t at_once; /* from one that was in flight */
	struct log_write recent[LOG_END_WRITES];
};

/*
 * A write of `stream` is submitted, and remembered. True: it waited for the completion of *found,
 * which is of another stream.
 */
bool log_end__submit(struct log_end *log, const struct replay_io *io, uint32_t stream,
		     struct log_write *found);

/*
 * An IO of `stream` has completed at the time that was known when it was submitted, as the
 * `count`-th of that stream, counted from 1.
 */
void log_end__complete(struct log_end *log, uint32_t stream, bool flush, uint64_t done_ns,
		       uint64_t count);

#endif
