// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "trace/streams/filter.h"

#define COMM_BYTES_MAX 15

/* The ids of one table that have one of the names; updated when the table grew. */
struct id_set {
	const char *const *names;
	unsigned int count;
	uint32_t known; /* ids up to this one were compared */
	size_t bytes;	/* of bits */
	uint8_t *bits;	/* one per id */
	uint64_t found; /* bits of the names that occurred */
};

struct row_filter {
	const struct trace_reader *reader;
	struct time_window window;
	uint32_t ops;
	bool by_span, in_flight;
	uint64_t began_before;
	struct id_set devices, tasks;
	uint64_t dropped[ROW_KIND_COUNT]; /* see row_filter__dropped() */
};

static bool has_window(const struct trace_filter *f)
{
	return f->from_ns || f->to_ns != UINT64_MAX;
}

bool trace_filter_parts_devices(const struct trace_filter *f)
{
	return f->ops || f->task_count || has_window(f);
}

bool trace_filter_drops_cache(const struct trace_filter *f)
{
	return f->device_count || f->ops;
}

bool trace_filter_is_empty(const struct trace_filter *f)
{
	return !f->device_count && !trace_filter_parts_devices(f);
}

struct text_buffer {
	char *text;
	size_t size, used;
};

static void add(struct text_buffer *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text_buffer *t, const char *fmt, ...)
{
	va_list args;
	int length;

	va_start(args, fmt);
	length = vsnprintf(t->text + t->used, t->size - t->used, fmt, args);
	va_end(args);
	t->used += (size_t)length < t->size - t->used ? (size_t)length : t->size - t->used - 1;
}

static void add_names(struct text_buffer *t, const char *what, const char *const *names,
		      unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		if (!i)
			add(t, "%s%s ", t->used ? "; " : "", what);
		add(t, "%s%s", i ? ", " : "", names[i]);
	}
}

/* Exactly, unlike units_time(): "2.5 s". */
static void add_seconds(struct text_buffer *t, const char *before, uint64_t time_ns)
{
	char fraction[16];
	size_t digits = (size_t)snprintf(fraction, sizeof(fraction), ".%09llu",
					 (unsigned long long)(time_ns % NSEC_PER_SEC));

	while (digits && (fraction[digits - 1] == '0' || fraction[digits - 1] == '.'))
		fraction[--digits] = '\0';
	add(t, "%s%llu%s s", before, (unsigned long long)(time_ns / NSEC_PER_SEC), fraction);
}

char *trace_filter_text(const struct trace_filter *f, char *text, size_t size)
{
	const char *ops[IO_OP_COUNT];
	struct text_buffer t = {text, size, 0};
	unsigned int op_count = 0;

	*text = '\0';
	for (enum io_op op = 0; op < IO_OP_COUNT; op++)
		if (f->ops & (1u << op))
			ops[op_count++] = io_op_name(op);
	add_names(&t, "device", f->devices, f->device_count);
	add_names(&t, "op", ops, op_count);
	add_names(&t, "task", f->tasks, f->task_count);
	if (has_window(f))
		add_seconds(&t, t.used ? "; from " : "from ", f->from_ns);
	if (f->to_ns != UINT64_MAX)
		add_seconds(&t, " to ", f->to_ns);
	return text;
}

struct row_filter *row_filter__new(const struct trace_filter *filter,
				   const struct trace_reader *reader,
				   const struct time_window *window)
{
	struct row_filter *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->reader = reader;
	f->window = *window;
	f->ops = filter->ops ? filter->ops : UINT32_MAX;
	f->by_span = filter->by_span;
	f->in_flight = filter->in_flight;
	f->devices.names = filter->devices;
	f->devices.count = filter->device_count;
	f->tasks.names = filter->tasks;
	f->tasks.count = filter->task_count;
	return f;
}

void row_filter__free(struct row_filter *f)
{
	if (!f)
		return;
	free(f->devices.bits);
	free(f->tasks.bits);
	free(f);
}

static bool device_has_name(const struct trace_reader *reader, uint32_t id, const char *name)
{
	const struct trace_device *device = trace_reader__device(reader, id);

	return device && !strcmp(device->name, name);
}

static bool task_has_name(const struct trace_reader *reader, uint32_t id, const char *name)
{
	const struct trace_task *task = trace_reader__task(reader, id);
	uint64_t pid;

	if (!task)
		return false;
	if (!units_parse_count(name, 0, UINT32_MAX, &pid))
		return task->pid == pid || task->tgid == pid;
	/* The kernel cuts names to this length; the user's name may be longer. */
	return !strncmp(task->comm, name, COMM_BYTES_MAX);
}

typedef bool (*has_name_fn)(const struct trace_reader *reader, uint32_t id, const char *name);

/* Compares the ids that the table got since the last call. 0 or -ENOMEM. */
static int bring_up_to_date(struct id_set *set, const struct trace_reader *reader, uint32_t highest,
			    has_name_fn has_name)
{
	size_t bytes = highest / 8 + 1;

	if (bytes > set->bytes) {
		size_t larger = bytes > 2 * set->bytes ? bytes : 2 * set->bytes;
		uint8_t *bits = realloc(set->bits, larger);

		if (!bits)
			return -ENOMEM;
		memset(bits + set->bytes, 0, larger - set->bytes);
		set->bits = bits;
		set->bytes = larger;
	}
	while (set->known < highest) {
		uint32_t id = ++set->known;

		for (unsigned int i = 0; i < set->count; i++) {
			if (!has_name(reader, id, set->names[i]))
				continue;
			set->bits[id / 8] |= (uint8_t)(1u << id % 8);
			set->found |= 1ull << i;
		}
	}
	return 0;
}

static int set_has(struct id_set *set, const struct trace_reader *reader, uint32_t id,
		   uint32_t highest, has_name_fn has_name)
{
	if (highest > set->known) {
		int err = bring_up_to_date(set, reader, highest, has_name);

		if (err)
			return err;
	}
	return id <= set->known && set->bits && (set->bits[id / 8] >> id % 8 & 1);
}

static int takes_device(struct row_filter *f, uint32_t id)
{
	return !f->devices.count || set_has(&f->devices, f->reader, id,
					    trace_reader__devices(f->reader), device_has_name);
}

static int takes_task(struct row_filter *f, uint32_t id)
{
	return !f->tasks.count ||
	       set_has(&f->tasks, f->reader, id, trace_reader__tasks(f->reader), task_has_name);
}

/* Of a row of a task over an interval, which is at its end. */
static uint64_t task_interval_ns(const struct wait_row *row)
{
	if (row->what != WAIT_TASK)
		return 0;
	return row->duration_ns < row->time_ns ? row->duration_ns : row->time_ns;
}

static bool is_in_window(const struct row_filter *f, enum row_kind kind, const void *row)
{
	uint64_t first_ns, last_ns;

	if (time_window_is_whole(&f->window))
		return true;
	first_ns = last_ns = row_time_ns(kind, row);
	if (kind == ROW_LOSS && f->by_span)
		last_ns = row_end_ns(kind, row);
	if (kind == ROW_WAIT && f->by_span)
		first_ns -= task_interval_ns(row);
	if (kind == ROW_WAIT && f->in_flight)
		last_ns = row_end_ns(kind, row);
	return time_window_has(&f->window, first_ns, last_ns);
}

static int takes_io(struct row_filter *f, const struct io_row *row)
{
	int takes = f->ops >> row->op & 1;

	if (takes > 0)
		takes = takes_device(f, row->device);
	if (takes > 0)
		takes = takes_task(f, row->task);
	return takes;
}

/* Of an IO that was not created in the window. */
static int takes_earlier_io(struct row_filter *f, const struct io_row *row)
{
	int takes;

	if (!row->completed_ns ||
	    !time_window_has(&f->window, io_row_time_ns(row), row->completed_ns - 1))
		return 0;
	takes = takes_io(f, row);
	f->began_before += takes > 0;
	return takes > 0 ? f->in_flight : takes;
}

static int takes_row_of_task(struct row_filter *f, enum row_kind kind, uint32_t task)
{
	int takes = takes_task(f, task);

	if (takes > 0 && (f->devices.count || f->ops != UINT32_MAX)) {
		f->dropped[kind]++;
		takes = 0;
	}
	return takes;
}

int row_filter__takes(struct row_filter *f, enum row_kind kind, const void *row)
{
	if (!is_in_window(f, kind, row))
		return kind == ROW_IO ? takes_earlier_io(f, row) : 0;
	switch (kind) {
	case ROW_IO:
		return takes_io(f, row);
	case ROW_CACHE:
		return takes_row_of_task(f, kind, ((const struct cache_row *)row)->task);
	case ROW_TICK:
		return takes_device(f, ((const struct tick_row *)row)->device);
	case ROW_HIST:
		return takes_device(f, ((const struct hist_row *)row)->device);
	case ROW_ACCESS:
		return takes_row_of_task(f, kind, ((const struct access_row *)row)->task);
	case ROW_WAIT:
		return takes_row_of_task(f, kind, ((const struct wait_row *)row)->task);
	case ROW_LOSS:
	case ROW_KIND_COUNT:
		break;
	}
	return 1;
}

uint64_t row_filter__dropped(const struct row_filter *f, enum row_kind kind)
{
	return f->dropped[kind];
}

uint64_t row_filter__began_before(const struct row_filter *f)
{
	return f->began_before;
}

static bool knows(struct id_set *set, const struct trace_reader *reader, uint32_t highest,
		  unsigned int i, has_name_fn has_name)
{
	return !bring_up_to_date(set, reader, highest, has_name) && (set->found >> i & 1);
}

bool row_filter__knows_device(struct row_filter *f, unsigned int i)
{
	return knows(&f->devices, f->reader, trace_reader__devices(f->reader), i, device_has_name);
}

bool row_filter__knows_task(struct row_filter *f, unsigned int i)
{
	return knows(&f->tasks, f->reader, trace_reader__tasks(f->reader), i, task_has_name);
}
