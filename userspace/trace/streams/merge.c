// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "trace/columns/columns.h"
#include "trace/streams/merge.h"
#include "trace/streams/twins.h"

_Static_assert(TRACE_STREAM_MAX <= TWINS_MAX, "each source has its bit");

struct source {
	struct trace_reader *reader;
	struct row_filter *filter; /* NULL: selects every row */
	uint64_t start_ns;	   /* of the trace, on its own clock ... */
	uint64_t common_start_ns;  /* ... and on the common one */
	struct row_block block;
	size_t row_bytes;
	uint32_t at;	    /* the next row of the block */
	const char *row;    /* the row that was found last */
	uint64_t common_ns; /* its time, for the order among traces */
	bool is_over;
	int err;
};

struct trace_stream {
	unsigned int kinds;
	uint64_t start_ns, start_wall_ns;
	bool is_started, has_rows;
	trace_stream_watch_fn watch;
	void *watch_context;
	int err;
	/* The sources that have a row, as a heap: the earliest first. */
	unsigned int heap[TRACE_STREAM_MAX];
	unsigned int in_heap;
	uint64_t going;	     /* the same, as bits */
	struct twins *twins; /* NULL: no row can be in two of them */
	unsigned int count;
	struct source sources[TRACE_STREAM_MAX];
};

static uint64_t add_or_most(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t wall_ns(const struct source *source)
{
	return trace_reader__host(source->reader)->start_wall_ns;
}

/* The time from the start of the earliest trace to the start of this one. */
static uint64_t offset_ns(const struct trace_stream *s, const struct source *source)
{
	return wall_ns(source) ? wall_ns(source) - s->start_wall_ns : 0;
}

static void set_clock(struct trace_stream *s)
{
	const struct source *first = &s->sources[0];
	uint64_t earlier_ns;

	for (unsigned int i = 0; i < s->count; i++) {
		uint64_t wall = wall_ns(&s->sources[i]);

		if (wall && (!s->start_wall_ns || wall < s->start_wall_ns))
			s->start_wall_ns = wall;
	}
	earlier_ns = offset_ns(s, first);
	if (s->count == 1 || first->start_ns > earlier_ns)
		s->start_ns = first->start_ns - earlier_ns;
	else
		s->start_ns = NSEC_PER_SEC;
	for (unsigned int i = 0; i < s->count; i++)
		s->sources[i].common_start_ns =
			add_or_most(s->start_ns, offset_ns(s, &s->sources[i]));
}

static uint64_t less_or_zero(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

#define INTERVAL_NS (2 * NSEC_PER_SEC) /* of a row that is at the end of its interval */

/* Sets the filter's window on the clock of this trace. */
static int set_filter(struct trace_stream *s, struct source *source,
		      const struct trace_filter *filter)
{
	uint64_t offset = source->common_start_ns - s->start_ns;
	struct time_window window = {source->start_ns, less_or_zero(filter->from_ns, offset),
				     UINT64_MAX};

	if (filter->to_ns != UINT64_MAX)
		window.to_ns = less_or_zero(filter->to_ns, offset);
	source->filter = row_filter__new(filter, source->reader, &window);
	if (!source->filter)
		return -ENOMEM;
	if (filter->in_flight)
		window.from_ns = less_or_zero(window.from_ns, INTERVAL_NS);
	if (filter->by_span && window.to_ns < UINT64_MAX - INTERVAL_NS)
		window.to_ns += INTERVAL_NS;
	trace_reader__set_window(source->reader, window.from_ns, window.to_ns);
	return 0;
}

int trace_stream__new(struct trace_reader *const *readers, unsigned int count, unsigned int kinds,
		      const struct trace_filter *filter, struct trace_stream **stream)
{
	struct trace_stream *s = calloc(1, sizeof(*s));
	int err = 0;

	if (!s)
		return -ENOMEM;
	s->kinds = kinds;
	s->count = count;
	for (unsigned int i = 0; i < count; i++) {
		s->sources[i].reader = readers[i];
		s->sources[i].start_ns = trace_reader__host(readers[i])->start_ns;
	}
	set_clock(s);
	for (unsigned int i = 0; i < count && !err && !trace_filter_is_empty(filter); i++)
		err = set_filter(s, &s->sources[i], filter);
	if (!err && count > 1)
		err = twins__create(readers, count, &s->twins);
	if (err) {
		trace_stream__free(s);
		return err;
	}
	*stream = s;
	return 0;
}

void trace_stream__free(struct trace_stream *s)
{
	if (!s)
		return;
	for (unsigned int i = 0; i < s->count; i++)
		row_filter__free(s->sources[i].filter);
	twins__free(s->twins);
	free(s);
}

void trace_stream__watch(struct trace_stream *s, trace_stream_watch_fn watch, void *context)
{
	s->watch = watch;
	s->watch_context = context;
}

/* 1: the source has its next block; 0: it is over; other: the result of the watch. */
static int read_block(struct trace_stream *s, struct source *source)
{
	int stop = s->watch ? s->watch(s, s->watch_context) : 0;

	if (stop)
		return stop;
	source->err = trace_reader__next(source->reader, s->kinds, &source->block);
	if (source->err <= 0) {
		source->is_over = true;
		return 0;
	}
	source->row_bytes = columns_row_size(source->block.kind);
	source->at = 0;
	return 1;
}

/* 1: source->row is the source's next selected row; 0: it has none left; negative errno. */
static int find_row(struct trace_stream *s, struct source *source)
{
	int taken = 1, more = 1;

	if (source->is_over)
		return 0;
	while (more > 0) {
		for (; source->at < source->block.rows; source->at++) {
			source->row =
				(const char *)source->block.io + source->at * source->row_bytes;
			if (source->filter)
				taken = row_filter__takes(source->filter, source->block.kind,
							  source->row);
			if (taken) {
				source->at++;
				return taken;
			}
		}
		more = read_block(s, source);
	}
	return more;
}

static uint64_t to_common(const struct source *source, uint64_t time_ns)
{
	uint64_t earlier_ns = source->start_ns - time_ns;

	if (!time_ns)
		return 0;
	if (time_ns >= source->start_ns)
		return add_or_most(source->common_start_ns, time_ns - source->start_ns);
	/* 0 means "not seen": a time that was seen must not become 0. */
	return source->common_start_ns > earlier_ns ? source->common_start_ns - earlier_ns : 1;
}

/* At equal times the order of the sources counts. */
static bool is_before(const struct trace_stream *s, unsigned int a, unsigned int b)
{
	const struct source *first = &s->sources[a], *second = &s->sources[b];

	if (first->common_ns != second->common_ns)
		return first->common_ns < second->common_ns;
	return a < b;
}

static void sift_down(struct trace_stream *s, unsigned int at)
{
	unsigned int moved = s->heap[at];

	for (;;) {
		unsigned int child = 2 * at + 1;

		if (child >= s->in_heap)
			break;
		if (child + 1 < s->in_heap && is_before(s, s->heap[child + 1], s->heap[child]))
			child++;
		if (!is_before(s, s->heap[child], moved))
			break;
		s->heap[at] = s->heap[child];
		at = child;
	}
	s->heap[at] = moved;
}

static int find_and_place(struct trace_stream *s, struct source *source)
{
	int found = find_row(s, source);

	if (found > 0)
		source->common_ns = to_common(source, row_end_ns(source->block.kind, source->row));
	return found;
}

static int start(struct trace_stream *s)
{
	s->is_started = true;
	for (unsigned int i = 0; i < s->count; i++) {
		int found = find_and_place(s, &s->sources[i]);

		if (found < 0)
			return found;
		if (!found)
			continue;
		s->heap[s->in_heap++] = i;
		s->going |= 1ull << i;
	}
	for (unsigned int i = s->in_heap / 2; i-- > 0;)
		sift_down(s, i);
	return 0;
}

/* Moves the source of the last row to its next row and updates the heap. */
static int advance(struct trace_stream *s)
{
	int found = find_and_place(s, &s->sources[s->heap[0]]);

	if (found < 0)
		return found;
	if (!found) {
		s->going &= ~(1ull << s->heap[0]);
		s->heap[0] = s->heap[--s->in_heap];
	}
	if (s->in_heap)
		sift_down(s, 0);
	return 0;
}

/* 1: *source has the next row; 0: the end; other: an error or the result of the watch. */
static int next_source(struct trace_stream *s, unsigned int *source)
{
	int err = 0;

	if (s->count == 1)
		return find_row(s, &s->sources[0]);
	if (!s->is_started)
		err = start(s);
	else if (s->in_heap)
		err = advance(s);
	*source = s->heap[0];
	return err ? err : s->in_heap > 0;
}

/* 1: another trace gave the row of this source before; 0; -ENOMEM. */
static int is_twin(struct trace_stream *s, unsigned int source)
{
	return twins__has(s->twins, source, s->going, s->sources[source].block.kind,
			  s->sources[source].row);
}

int trace_stream__next(struct trace_stream *s, struct trace_stream_row *row)
{
	unsigned int i = 0;
	int found = s->err, twin = 1;

	while (!s->err && twin > 0) {
		found = next_source(s, &i);
		twin = found > 0 ? is_twin(s, i) : 0;
	}
	if (twin < 0)
		found = twin;
	if (found <= 0) {
		s->err = found;
		return found;
	}
	s->has_rows = true;
	row->kind = s->sources[i].block.kind;
	row->any = s->sources[i].row;
	row->source = i;
	row->reader = s->sources[i].reader;
	return 1;
}

bool trace_stream__has_rows(const struct trace_stream *s)
{
	return s->has_rows;
}

unsigned int trace_stream__sources(const struct trace_stream *s)
{
	return s->count;
}

const struct trace_reader *trace_stream__reader(const struct trace_stream *s, unsigned int source)
{
	return s->sources[source].reader;
}

int trace_stream__error(const struct trace_stream *s, unsigned int source)
{
	return s->sources[source].err < 0 ? s->sources[source].err : 0;
}

uint64_t trace_stream__start_ns(const struct trace_stream *s)
{
	return s->start_ns;
}

uint64_t trace_stream__start_wall_ns(const struct trace_stream *s)
{
	return s->start_wall_ns;
}

uint64_t trace_stream__time_ns(const struct trace_stream *s, unsigned int source, uint64_t time_ns)
{
	return to_common(&s->sources[source], time_ns);
}

const void *trace_stream__shifted(const struct trace_stream *s, const struct trace_stream_row *row,
				  union trace_row *shifted)
{
	const struct source *source = &s->sources[row->source];

	if (source->common_start_ns == source->start_ns && (s->count == 1 || row->kind != ROW_IO))
		return row->any;
	memcpy(shifted, row->any, source->row_bytes);
	switch (row->kind) {
	case ROW_IO:
		io_row_spread_ids(&shifted->io, s->count, row->source);
		shifted->io.created_ns = to_common(source, row->io->created_ns);
		shifted->io.inserted_ns = to_common(source, row->io->inserted_ns);
		shifted->io.issued_ns = to_common(source, row->io->issued_ns);
		shifted->io.completed_ns = to_common(source, row->io->completed_ns);
		break;
	case ROW_CACHE:
		shifted->cache.time_ns = to_common(source, row->cache->time_ns);
		break;
	case ROW_TICK:
		shifted->tick.time_ns = to_common(source, row->tick->time_ns);
		break;
	case ROW_HIST:
		shifted->hist.time_ns = to_common(source, row->hist->time_ns);
		break;
	case ROW_LOSS:
		shifted->loss.from_ns = to_common(source, row->loss->from_ns);
		shifted->loss.to_ns = to_common(source, row->loss->to_ns);
		break;
	case ROW_ACCESS:
		shifted->access.time_ns = to_common(source, row->access->time_ns);
		break;
	case ROW_WAIT:
		shifted->wait.time_ns = to_common(source, row->wait->time_ns);
		shifted->wait.call_ns = to_common(source, row->wait->call_ns);
		break;
	case ROW_KIND_COUNT:
		break;
	}
	return shifted;
}

bool trace_stream__knows_device(const struct trace_stream *s, unsigned int i)
{
	for (unsigned int source = 0; source < s->count; source++)
		if (row_filter__knows_device(s->sources[source].filter, i))
			return true;
	return false;
}

bool trace_stream__knows_task(const struct trace_stream *s, unsigned int i)
{
	for (unsigned int source = 0; source < s->count; source++)
		if (row_filter__knows_task(s->sources[source].filter, i))
			return true;
	return false;
}

uint64_t trace_stream__twin_ios(const struct trace_stream *s)
{
	return twins__ios(s->twins);
}

uint64_t trace_stream__shared_ns(const struct trace_stream *s, unsigned int *a, unsigned int *b)
{
	for (*a = 0; *a < s->count; ++*a) {
		for (*b = *a + 1; *b < s->count; ++*b) {
			uint64_t shared_ns = 0;

			if (twins__is_alone(s->twins, *a) && twins__is_alone(s->twins, *b))
				shared_ns = twins_shared_ns(s->sources[*a].reader,
							    s->sources[*b].reader);
			if (shared_ns)
				return shared_ns;
		}
	}
	return 0;
}

uint64_t trace_stream__dropped(const struct trace_stream *s, enum row_kind kind)
{
	uint64_t rows = 0;

	for (unsigned int source = 0; source < s->count; source++)
		if (s->sources[source].filter)
			rows += row_filter__dropped(s->sources[source].filter, kind);
	return rows;
}

uint64_t trace_stream__began_before(const struct trace_stream *s)
{
	uint64_t ios = 0;

	for (unsigned int source = 0; source < s->count; source++)
		if (s->sources[source].filter)
			ios += row_filter__began_before(s->sources[source].filter);
	return ios;
}
