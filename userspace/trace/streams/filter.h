/* SPDX-License-Identifier: MIT */
/* Selects rows by device, operation, task and time. */
#ifndef BLKREEL_TRACE_STREAMS_FILTER_H
#define BLKREEL_TRACE_STREAMS_FILTER_H

#include "trace/file/reader.h"
#include "trace/row_time.h"

/* The limit for the names of devices, and for those of tasks. */
#define TRACE_FILTER_NAMES_MAX 64

/* The selection. The names are the caller's and must outlive the filter. */
struct trace_filter {
	const char *const *devices; /* names; none: all */
	unsigned int device_count;
	const char *const *tasks; /* a comm, or the id of a process or thread; none: all */
	unsigned int task_count;
	uint32_t ops;		 /* bits 1 << enum io_op; 0: all */
	uint64_t from_ns, to_ns; /* after the start of the recording; UINT64_MAX: to the end */
	/*
	 * False: a loss row belongs to the window in which it begins, and a row of a task over an interval
	 * to that in which it ends; true: both to all windows that they overlap.
	 */
	bool by_span;
	/* Select IOs that began before the window and were in flight in it, and sleeps and calls that began before it, too. */
	bool in_flight;
};

/* A filter that selects everything. */
#define TRACE_FILTER_ALL ((struct trace_filter){.to_ns = UINT64_MAX})

/*
 * The filter checks the device, operation and task of io rows, the device of tick rows, and the
 * task of cache, access and wait rows. These have no device or operation: a filter for one of these
 * drops them all. Loss rows always pass.
 */
bool trace_filter_is_empty(const struct trace_filter *f); /* it selects everything */
/* Whether the filter drops io rows that the kernel's counters of the selected devices include. */
bool trace_filter_parts_devices(const struct trace_filter *f);
/* Whether the filter drops all cache, access and wait rows, because they lack what it checks. */
bool trace_filter_drops_cache(const struct trace_filter *f);

/*
 * Describes `f` for people: "device sda, sdb; op read; from 1 s to 2 s"; "" for everything. Cut to
 * `size` bytes; returns `text`.
 */
char *trace_filter_text(const struct trace_filter *f, char *text, size_t size);

/* A filter on the rows of one reader, whose tables hold the names of the ids. */
struct row_filter;

/* `f` and `reader` must outlive it; `window` is on this reader's clock. NULL: no memory. */
struct row_filter *row_filter__new(const struct trace_filter *f, const struct trace_reader *reader,
				   const struct time_window *window);
void row_filter__free(struct row_filter *f); /* NULL is allowed */

/* 1: the row is selected; 0: it is not; -ENOMEM. */
int row_filter__takes(struct row_filter *f, enum row_kind kind, const void *row);

/* Rows of this kind that were dropped because they have no device or operation. */
uint64_t row_filter__dropped(const struct row_filter *f, enum row_kind kind);

/* IOs that began before the window and were in flight in it, selected or not. */
uint64_t row_filter__began_before(const struct row_filter *f);

/* Whether the reader's tables, as far as they were read, hold the i-th name. */
bool row_filter__knows_device(struct row_filter *f, unsigned int i);
bool row_filter__knows_task(struct row_filter *f, unsigned int i);

#endif
