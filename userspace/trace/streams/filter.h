/* SPDX-License-Identifier: MIT */
/* Which rows are wanted: by device, operation, task and time. */
#ifndef BLKREEL_TRACE_STREAMS_FILTER_H
#define BLKREEL_TRACE_STREAMS_FILTER_H

#include "trace/file/reader.h"
#include "trace/row_time.h"

/* At most so many names each of devices and tasks. */
#define TRACE_FILTER_NAMES_MAX 64

/* What is asked for; the names are the caller's and stay while it is used. */
struct trace_filter {
	const char *const *devices; /* names; none: all */
	unsigned int device_count;
	const char *const *tasks; /* a comm, or the id of a process or thread; none: all */
	unsigned int task_count;
	uint32_t ops;		 /* bits 1 << enum io_op; 0: all */
	uint64_t from_ns, to_ns; /* after the start of the recording; UINT64_MAX: to the end */
	/* Loss rows are placed by their beginning; with this they are in every window that they
	 * touch. */
	bool losses_by_span;
};

/* A filter that wants everything. */
#define TRACE_FILTER_ALL ((struct trace_filter){.to_ns = UINT64_MAX})

/*
 * io rows are asked for their device, operation and task; tick rows for their device; cache and access
 * rows for their task, and there are none where a device or operation is asked for, which they do not
 * tell; loss rows concern everybody.
 */
bool trace_filter_is_empty(const struct trace_filter *f); /* everything is wanted */
/* Whether io rows are left out that the kernel's counters of the devices that are kept include. */
bool trace_filter_parts_devices(const struct trace_filter *f);
/* Whether cache and access rows are left out because they do not tell what is asked for. */
bool trace_filter_drops_cache(const struct trace_filter *f);

/* What `f` keeps, for people: "device sda, sdb; op read; from 1 s to 2 s"; "" for everything.
 * Cut to `size` bytes; returns `text`. */
char *trace_filter_text(const struct trace_filter *f, char *text, size_t size);

/* A filter on the rows of one reader, whose tables tell what its ids mean. */
struct row_filter;

/* `window` is that of this reader. NULL: no memory. */
struct row_filter *row_filter__new(const struct trace_filter *f, const struct trace_reader *reader,
				   const struct time_window *window);
void row_filter__free(struct row_filter *f); /* NULL is allowed */

/* 1: wanted, 0: not, -ENOMEM. */
int row_filter__takes(struct row_filter *f, enum row_kind kind, const void *row);

/* Whether the reader's tables have the i-th of the names, as far as they were read. */
bool row_filter__knows_device(struct row_filter *f, unsigned int i);
bool row_filter__knows_task(struct row_filter *f, unsigned int i);

#endif
