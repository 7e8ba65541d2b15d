/* SPDX-License-Identifier: MIT */
/*
 * Joins the consecutive traces of one recording: copies the rows in their order, one trace at a
 * time, and writes equal table entries once.
 */
#ifndef BLKREEL_TRACE_STREAMS_JOINER_H
#define BLKREEL_TRACE_STREAMS_JOINER_H

#include "trace/file/reader.h"
#include "trace/file/writer.h"

struct trace_joiner;

struct trace_joined {
	uint64_t io_rows;
	uint64_t started_before; /* of these */
	uint64_t lost;		 /* the sum over the loss rows */
};

/*
 * `writer` stays the caller's, who also writes its tiers. The result begins at `start_ns`: requests
 * that were created before are marked IO_STARTED_BEFORE, and intervals are cut there. NULL: no
 * memory.
 */
struct trace_joiner *trace_joiner__new(struct trace_writer *writer, uint64_t start_ns);
void trace_joiner__free(struct trace_joiner *j); /* NULL is allowed */

/*
 * Adds all rows of `reader`, which must be at its start; it may lack an end mark. 0; -EBADMSG:
 * damaged; -E2BIG: more table entries than a trace may hold; other negative errno.
 */
int trace_joiner__add(struct trace_joiner *j, struct trace_reader *reader);

/* The totals so far; owned by `j`. */
const struct trace_joined *trace_joiner__totals(const struct trace_joiner *j);

#endif
