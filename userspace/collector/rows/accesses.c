// SPDX-License-Identifier: MIT
#include "collector/rows/accesses.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "collector/probes/record_time.h"

#define EVENTS_FIRST 4096u
#define EVENTS_MAX   262144u

struct accesses {
	struct access_event *events;
	size_t count, size;
	bool in_order; /* already in order */
};

int accesses__create(struct accesses **accesses)
{
	*accesses = calloc(1, sizeof(**accesses));
	if (!*accesses)
		return -ENOMEM;
	(*accesses)->in_order = true;
	return 0;
}

void accesses__free(struct accesses *a)
{
	if (!a)
		return;
	free(a->events);
	free(a);
}

static int grow(struct accesses *a)
{
	size_t size = a->size ? 2 * a->size : EVENTS_FIRST;
	struct access_event *events = realloc(a->events, size * sizeof(*events));

	if (!events)
		return -ENOMEM;
	a->events = events;
	a->size = size;
	return 0;
}

int accesses__add(struct accesses *a, const struct access_event *event)
{
	if (a->count == a->size && grow(a))
		return -ENOMEM;
	if (a->count &&
	    record_time_access_end_ns(event) < record_time_access_end_ns(&a->events[a->count - 1]))
		a->in_order = false;
	a->events[a->count++] = *event;
	return a->count == EVENTS_MAX;
}

static int by_end(const void *one, const void *other)
{
	uint64_t a = record_time_access_end_ns(one), b = record_time_access_end_ns(other);

	if (a != b)
		return a < b ? -1 : 1;
	a = ((const struct access_event *)one)->time_ns;
	b = ((const struct access_event *)other)->time_ns;
	return (a > b) - (a < b);
}

/* The pages of a truncated or deleted file are removed one folio at a time. */
static bool goes_on(const struct access_event *range, const struct access_event *event)
{
	return range->op == ACCESS_EVENT_INVALIDATE && event->op == ACCESS_EVENT_INVALIDATE &&
	       range->inode == event->inode && range->device == event->device &&
	       range->pid == event->pid && range->offset + range->bytes == event->offset;
}

int accesses__release(struct accesses *a, uint64_t until_ns,
		      int (*each)(const struct access_event *event, void *context), void *context)
{
	size_t at = 0;
	int err = 0;

	/* Without records there may be no arrays, either. */
	if (!a->count)
		return 0;
	if (!a->in_order)
		qsort(a->events, a->count, sizeof(*a->events), by_end);
	a->in_order = true;
	while (at < a->count && record_time_access_end_ns(&a->events[at]) <= until_ns && !err) {
		struct access_event event = a->events[at++];

		while (at < a->count && record_time_access_end_ns(&a->events[at]) <= until_ns &&
		       goes_on(&event, &a->events[at]))
			event.bytes += a->events[at++].bytes;
		err = each(&event, context);
	}
	a->count -= at;
	if (a->count)
		memmove(a->events, a->events + at, a->count * sizeof(*a->events));
	return err;
}

static bool has_pages(uint8_t op)
{
	return op <= ACCESS_EVENT_SPLICE || op == ACCESS_EVENT_INVALIDATE;
}

/* The kernel requests more pages than a part of a sendfile finally holds; the excess counts as
 * readahead. */
static void count_pages(const struct access_event *event, struct access_row *row)
{
	uint64_t scale = (uint64_t)sysconf(_SC_PAGESIZE) / PAGE_BYTES;
	uint64_t pages = has_pages(event->op) ? access_row_pages(row) : 0;
	uint64_t missed = event->miss_pages * scale;

	row->miss_pages = missed < pages ? missed : pages;
	row->hit_pages = pages - row->miss_pages;
	row->readahead_pages = event->readahead_pages * scale;
	if (scale == 1)
		row->readahead_pages += missed - row->miss_pages;
}

void accesses__to_row(const struct access_event *event, struct access_row *row)
{
	*row = (struct access_row){
		.time_ns = event->time_ns,
		.duration_ns = event->duration_ns,
		.offset = event->offset,
		.bytes = event->bytes,
		.wait_ns = event->wait_ns,
		.waits = event->waits,
		.op = event->op,
		.flags = event->flags & (ACCESS_EVENT_BOUNDED - 1),
	};
	if (event->flags & ACCESS_EVENT_BOUNDED)
		row->flags |= ACCESS_BOUNDED;
	count_pages(event, row);
}
