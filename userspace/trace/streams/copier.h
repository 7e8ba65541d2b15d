/* SPDX-License-Identifier: MIT */
/* Writes the rows of a stream as a new trace: a part of one trace, or several traces together. */
#ifndef BLKREEL_TRACE_STREAMS_COPIER_H
#define BLKREEL_TRACE_STREAMS_COPIER_H

#include "trace/streams/merge.h"
#include "trace/file/writer.h"

struct trace_copier;

/*
 * Creates `path` as trace_writer__create() does. `stream` gives rows of all kinds through `filter`;
 * both stay the caller's. The copy has the head of the first trace with the names of all hosts, and
 * starts with the stream, or with the filter's window. `options` as for the writer; the resolution
 * is at least that of the traces. 0 or negative errno.
 */
int trace_copier__create(const char *path, const struct trace_stream *stream,
			 const struct trace_filter *filter,
			 const struct trace_writer_options *options, struct trace_copier **copier);

/* The same on an empty file that is open already, such as one in memory. Takes `fd` over, also on failure but
 * -ENOMEM. */
int trace_copier__create_on(int fd, const struct trace_stream *stream,
			    const struct trace_filter *filter,
			    const struct trace_writer_options *options,
			    struct trace_copier **copier);

/* Adds a row of the stream. 0; -E2BIG: more table entries than a trace may hold; other negative
 * errno. */
int trace_copier__add(struct trace_copier *c, const struct trace_stream_row *row);

struct trace_copier_totals {
	uint64_t rows[ROW_KIND_COUNT];
	uint64_t duration_ns;
};

/*
 * After the last row of the stream: ends the trace. Always frees `c`; *totals may be NULL. 0 or
 * negative errno.
 */
int trace_copier__finish(struct trace_copier *c, struct trace_copier_totals *totals);
/* Frees `c`; the file has no end mark. NULL is allowed. */
void trace_copier__abandon(struct trace_copier *c);

#endif
