/* SPDX-License-Identifier: MIT */
/*
 * Reads the rows of one trace, or of several on one clock: wall time, which is as exact as the
 * clocks of their hosts agree. Traces without a wall time begin together with the first. The rows
 * of each trace keep their order; those of several are merged by the last time in each row, which
 * is about when it was recorded. A row that several traces of one boot of a host hold comes once. Holds
 * one decoded block per trace.
 */
#ifndef BLKREEL_TRACE_STREAMS_MERGE_H
#define BLKREEL_TRACE_STREAMS_MERGE_H

#include "trace/streams/filter.h"

#define TRACE_STREAM_MAX 64

struct trace_stream;

/* Valid until the next call. Times and ids are of the row's trace; see trace_stream__shifted(). */
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
		const struct wait_row *wait;
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
	struct wait_row wait;
};

/*
 * Opens a stream of the rows of the kinds in `kinds` (bits 1 << enum row_kind) of 1 to
 * TRACE_STREAM_MAX readers. The readers stay the caller's and must be at their start. Skips rows
 * that `filter` (whose times count from trace_stream__start_ns()) does not select, and blocks
 * outside its time. 0 or -ENOMEM.
 */
int trace_stream__new(struct trace_reader *const *readers, unsigned int count, unsigned int kinds,
		      const struct trace_filter *filter, struct trace_stream **stream);
void trace_stream__free(struct trace_stream *s); /* NULL is allowed */

/*
 * `watch` is called before each block that is read, which can be long before the next selected row.
 * A result other than 0 ends the stream.
 */
typedef int (*trace_stream_watch_fn)(const struct trace_stream *s, void *context);
void trace_stream__watch(struct trace_stream *s, trace_stream_watch_fn watch, void *context);

/*
 * 1: *row is filled; 0: all traces are over; -ENOMEM, or the result of a watch. A trace that is
 * cut, damaged or cannot be read ends there, the others go on: see trace_stream__error() and
 * trace_reader__end().
 */
int trace_stream__next(struct trace_stream *s, struct trace_stream_row *row);

/* Whether a row was selected so far. */
bool trace_stream__has_rows(const struct trace_stream *s);

/* The count of traces, and the reader of each. */
unsigned int trace_stream__sources(const struct trace_stream *s);
const struct trace_reader *trace_stream__reader(const struct trace_stream *s, unsigned int source);
/* The result of the last read of a trace: 0 or negative errno. */
int trace_stream__error(const struct trace_stream *s, unsigned int source);

/*
 * The common clock: CLOCK_MONOTONIC of the first trace's host. If the earliest trace began before
 * that host did, the clock begins at one second with that trace. The start is that of the earliest
 * trace; the wall time is 0 when no trace has one.
 */
uint64_t trace_stream__start_ns(const struct trace_stream *s);
uint64_t trace_stream__start_wall_ns(const struct trace_stream *s);
/* A time of a trace on the common clock; 0 (not seen) stays 0. */
uint64_t trace_stream__time_ns(const struct trace_stream *s, unsigned int source, uint64_t time_ns);
/*
 * The row with its times on the common clock and, with several traces, with ids of IOs that are
 * unique among them. Returns the row itself if nothing changes, or a copy in *shifted.
 */
const void *trace_stream__shifted(const struct trace_stream *s, const struct trace_stream_row *row,
				  union trace_row *shifted);

/* Rows of this kind that the filter dropped because they have no device or operation. */
uint64_t trace_stream__dropped(const struct trace_stream *s, enum row_kind kind);

/* IOs that began before the filter's window and were in flight in it, selected or not. */
uint64_t trace_stream__began_before(const struct trace_stream *s);

/* IO rows that came once although another trace holds them, too. */
uint64_t trace_stream__twin_ios(const struct trace_stream *s);
/*
 * After all rows: the time that two traces, numbered *a and *b, share where each has IOs that the other
 * lacks: if both recorded one device, its IOs came twice. 0: no two.
 */
uint64_t trace_stream__shared_ns(const struct trace_stream *s, unsigned int *a, unsigned int *b);

/* Whether any trace, as far as it was read, has the i-th device or task of the filter. */
bool trace_stream__knows_device(const struct trace_stream *s, unsigned int i);
bool trace_stream__knows_task(const struct trace_stream *s, unsigned int i);

#endif
