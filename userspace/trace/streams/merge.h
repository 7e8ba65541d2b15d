/* SPDX-License-Identifier: MIT */
/*
 * The rows of one trace, or of several on one clock: wall time, by which their hosts agree as well
 * as their clocks do. Traces that do not know when they began all begin with the first. Each
 * trace's rows keep their order; those of several are woven by the last time seen in each, which is
 * about when it was recorded. One decoded block per trace is held.
 */
#ifndef BLKREEL_TRACE_STREAMS_MERGE_H
#define BLKREEL_TRACE_STREAMS_MERGE_H

#include "trace/streams/filter.h"

#define TRACE_STREAM_MAX 64

struct trace_stream;

/* Valid until the next call. Times and ids are those of the row's trace: trace_stream__shifted(). */
struct trace_stream_row {
	enum row_kind kind;
	union {
		const void *any;
		const struct io_row *io;
		const struct cache_row *cache;
		const struct tick_row *tick;
		const struct loss_row *loss;
		const struct hist_row *hist;
		const struct access_row *access;
	};
	unsigned int source; /* which of the traces, from 0 */
	const struct trace_reader *reader;
};

/* A copy of a row of any kind. */
union trace_row {
	struct io_row io;
	struct cache_row cache;
	struct tick_row tick;
	struct loss_row loss;
	struct hist_row hist;
	struct access_row access;
};

/*
 * Rows of the kinds in `kinds` (bits 1 << enum row_kind) of 1 to TRACE_STREAM_MAX readers, which
 * stay the caller's and were not read from yet; those that `filter` (whose times count from
 * trace_stream__start_ns()) does not want are left out, and blocks outside its time passed over.
 * 0 or -ENOMEM.
 */
int trace_stream__new(struct trace_reader *const *readers, unsigned int count, unsigned int kinds,
		      const struct trace_filter *filter, struct trace_stream **stream);
void trace_stream__free(struct trace_stream *s); /* NULL is allowed */

/*
 * `watch` is called before each block that is read, which can be long before the next row that is
 * wanted; what it returns, if not 0, ends the stream.
 */
typedef int (*trace_stream_watch_fn)(const struct trace_stream *s, void *context);
void trace_stream__watch(struct trace_stream *s, trace_stream_watch_fn watch, void *context);

/*
 * 1: *row is filled; 0: all traces are over; -ENOMEM, or what a watch returned. A trace that is cut, damaged or cannot be read
 * ends there, the others go on: ask trace_stream__error() and trace_reader__end().
 */
int trace_stream__next(struct trace_stream *s, struct trace_stream_row *row);

unsigned int trace_stream__sources(const struct trace_stream *s);
const struct trace_reader *trace_stream__reader(const struct trace_stream *s, unsigned int source);
/* What the last read of a trace returned: 0 or negative errno. */
int trace_stream__error(const struct trace_stream *s, unsigned int source);

/* How far it is, in bytes of the files. */
uint64_t trace_stream__bytes_done(const struct trace_stream *s);
uint64_t trace_stream__bytes(const struct trace_stream *s);

/*
 * The common clock. It is CLOCK_MONOTONIC of the first trace's host, or one that begins at a second
 * when the earliest trace began before that host did. Its beginning is that of the earliest
 * trace; wall time is 0 when no trace knows it.
 */
uint64_t trace_stream__start_ns(const struct trace_stream *s);
uint64_t trace_stream__start_wall_ns(const struct trace_stream *s);
/* A time of a trace on that clock; 0 (not seen) stays 0. */
uint64_t trace_stream__time_ns(const struct trace_stream *s, unsigned int source, uint64_t time_ns);
/* The row with its times on that clock and, of several traces, ids of IOs that no other trace has:
 * `row` itself where it is so, or a copy in *shifted. */
const void *trace_stream__shifted(const struct trace_stream *s, const struct trace_stream_row *row,
				  union trace_row *shifted);

/* Whether any of the traces, as far as it was read, has the i-th device or task of the filter. */
bool trace_stream__knows_device(const struct trace_stream *s, unsigned int i);
bool trace_stream__knows_task(const struct trace_stream *s, unsigned int i);

#endif
