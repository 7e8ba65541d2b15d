/* SPDX-License-Identifier: MIT */
/*
 * One recording that lies in several traces, one after the other, put together: rows are taken over
 * as they are and in their order, one trace at a time; what the traces' tables have in common
 * stands in the result once.
 */
#ifndef BLKREEL_TRACE_STREAMS_JOINER_H
#define BLKREEL_TRACE_STREAMS_JOINER_H

#include "trace/file/reader.h"
#include "trace/file/writer.h"

struct trace_joiner;

struct trace_joined {
	uint64_t io_rows;
	uint64_t started_before; /* of these */
	uint64_t lost;		 /* sum of the loss rows */
};

/*
 * `writer` stays the caller's, who also gives it its tiers. The result begins at `start_ns`:
 * requests that were created before are marked so, and intervals reach back no further.
 * NULL: no memory.
 */
struct trace_joiner *trace_joiner__new(struct trace_writer *writer, uint64_t start_ns);
void trace_joiner__free(struct trace_joiner *j); /* NULL is allowed */

/*
 * Adds every row of `reader`, which was not read from yet; it need not have an end mark.
 * 0; -EBADMSG: damaged; -E2BIG: more table entries than a trace may hold; other negative errno.
 */
int trace_joiner__add(struct trace_joiner *j, struct trace_reader *reader);

const struct trace_joined *trace_joiner__totals(const struct trace_joiner *j);

#endif
