/* SPDX-License-Identifier: MIT */
/*
 * Recent writes, to find out when a task continues where another task's write ended, as tasks do
 * that append to one log in turn. Such a write waited for the other write, and for the flush that
 * made it durable: an appender holds the lock of the log until then. It is counted whether
 * appenders do wait. Where they also continue while the other write is in flight, nothing is
 * concluded.
 */
#ifndef BLKREEL_WORKLOAD_DEPENDENCE_LOG_END_H
#define BLKREEL_WORKLOAD_DEPENDENCE_LOG_END_H

#include <stdbool.h>
#include <stdint.h>

/* How many recent writes of all tasks are remembered. */
#define LOG_END_WRITES 64u

struct log_write {
	uint64_t offset_bytes, end_bytes;
	uint64_t done_ns; /* of the write, or of the flush behind it if that has completed */
	uint64_t count;	  /* of the stream's completions, that one included; 0: in flight */
	uint32_t stream;
	bool durable;
};

struct log_end {
	uint64_t written; /* writes so far */
	uint64_t in_turn; /* writes that continued one that had completed */
	uint64_t at_once; /* writes that continued one that was in flight */
	struct log_write recent[LOG_END_WRITES];
};

/*
 * A write is submitted, and remembered. True: it waited for the completion *found, which is of
 * another stream.
 */
bool log_end__submit(struct log_end *log, const struct log_write *write, struct log_write *found);

/*
 * An IO of `stream` has completed, as the `count`-th of that stream, counted from 1, at the time
 * that was known when it was submitted.
 */
void log_end__complete(struct log_end *log, uint32_t stream, bool flush, uint64_t done_ns,
		       uint64_t count);

#endif
