// SPDX-License-Identifier: MIT
#include "replay/source/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/reorder_window.h"
#include "trace/format.h"
#include "trace/file/writer.h"
#include "trace/streams/left_out.h"

struct trace_source {
	struct replay_source base;
	struct trace_reader *reader;
	struct trace_source_options options;
	uint64_t start_ns;
	struct left_out *left_out;
	struct reorder_window *window;
	uint64_t last_due_ns, out_of_order;
	struct row_block block;
	uint32_t block_row;
	bool read_to_end;
};

/* Requests in flight when recording started were created before it: they are due at once. */
static uint64_t time_from_start(const struct io_row *row, uint64_t start_ns)
{
	return row->created_ns > start_ns ? row->created_ns - start_ns : 0;
}

static void set_times(const struct io_row *row, uint64_t start_ns, uint64_t first_ns,
		      struct replay_io *io)
{
	uint64_t time_ns = time_from_start(row, start_ns);

	io->due_ns = time_ns > first_ns ? time_ns - first_ns : 0;
	if (!row->completed_ns)
		return;
	io->done_ns = row->completed_ns > start_ns + first_ns
			      ? row->completed_ns - start_ns - first_ns
			      : 0;
	if (io->done_ns <= io->due_ns)
		io->done_ns = io->due_ns + 1;
}

static void set_submitter(const struct io_row *row, const struct trace_reader *reader,
			  struct replay_io *io)
{
	const struct trace_task *task = trace_reader__task(reader, row->task);
	const uint32_t waited_for = IO_SYNC | IO_FUA | IO_PREFLUSH;

	/* The survey has read the whole table: an id that is not in it is forged. */
	io->task = task ? row->task : 0;
	if (!task || !task->kernel_thread)
		return;
	io->flags |= REPLAY_KERNEL;
	if (row->op == IO_OP_WRITE && !(row->flags & waited_for))
		io->flags |= REPLAY_BACKGROUND;
}

/* Survey ------------------------------------------------------------------------------------- */

/* Only forged rows refer to ids that no table can have; so many of them are told apart. */
#define FORGED_IDS_MAX 1024u

static struct trace_source_device *find_item(const struct trace_source_devices *devices,
					     uint32_t device)
{
	if (device <= TRACE_DEVICES_MAX)
		return devices->places[device] ? &devices->items[devices->places[device] - 1]
					       : NULL;
	for (unsigned int i = 0; i < devices->count; i++)
		if (devices->items[i].device == device)
			return &devices->items[i];
	return NULL;
}

/* NULL: no memory, or too many forged ids. */
static struct trace_source_device *device_item(struct trace_source_devices *devices,
					       uint32_t device)
{
	struct trace_source_device *items = find_item(devices, device);

	if (items)
		return items;
	if (device > TRACE_DEVICES_MAX && devices->count >= FORGED_IDS_MAX)
		return NULL;
	items = realloc(devices->items, (devices->count + 1) * sizeof(*items));
	if (!items)
		return NULL;
	devices->items = items;
	items[devices->count] =
		(struct trace_source_device){.device = device, .first_ns = UINT64_MAX};
	items += devices->count++;
	if (device <= TRACE_DEVICES_MAX)
		devices->places[device] = devices->count;
	return items;
}

static int survey_row(const struct io_row *row, const struct trace_reader *reader,
		      const struct replay_window *window, struct left_out *left_out,
		      struct trace_source_devices *devices)
{
	uint64_t start_ns = trace_reader__host(reader)->start_ns;
	uint64_t time_ns = time_from_start(row, start_ns);
	struct trace_source_device *item;
	struct replay_io io;
	int err;

	if (!replay_window__holds(window, time_ns))
		return 0;
	if (!io_row_is_request(row)) {
		if (row->device <= TRACE_DEVICES_MAX)
			devices->flush_machinery_ios[row->device]++;
		return 0;
	}
	err = left_out__has(left_out, reader, row);
	if (err)
		return err < 0 ? err : 0;
	err = replay_io_from_row(row, &io);
	if (err)
		return err;
	item = device_item(devices, row->device);
	if (!item)
		return row->device > TRACE_DEVICES_MAX ? -E2BIG : -ENOMEM;
	set_times(row, start_ns, 0, &io);
	io.task = row->task;
	if (time_ns < item->first_ns)
		item->first_ns = time_ns;
	replay_survey__add(&item->survey, &io);
	return 0;
}

static int new_left_out(const struct replay_window *window, struct left_out **left_out)
{
	const char *wrong;

	return left_out__create(window->without, window->without_count, left_out, &wrong);
}

static int survey_rows(struct trace_reader *reader, const struct replay_window *window,
		       struct left_out *left_out, struct trace_source_devices *devices)
{
	struct row_block block;
	int err;

	while ((err = trace_reader__next(reader, 1u << ROW_IO, &block)) > 0) {
		for (uint32_t i = 0; i < block.rows; i++) {
			err = survey_row(&block.io[i], reader, window, left_out, devices);
			if (err)
				return err;
		}
	}
	return err;
}

int trace_source__survey(struct trace_reader *reader, const struct replay_window *window,
			 struct trace_source_devices *devices)
{
	struct left_out *left_out;
	int err;

	*devices = (struct trace_source_devices){0};
	devices->places = calloc(TRACE_DEVICES_MAX + 1, sizeof(*devices->places));
	devices->flush_machinery_ios =
		calloc(TRACE_DEVICES_MAX + 1, sizeof(*devices->flush_machinery_ios));
	if (!devices->places || !devices->flush_machinery_ios)
		return -ENOMEM;
	err = new_left_out(window, &left_out);
	if (!err)
		err = survey_rows(reader, window, left_out, devices);
	for (unsigned int i = 0; i < devices->count && !err; i++) {
		struct trace_source_device *item = &devices->items[i];

		item->survey.last_due_ns -= item->first_ns;
		if (item->device <= TRACE_DEVICES_MAX)
			item->survey.flush_machinery_ios =
				devices->flush_machinery_ios[item->device];
		item->left_out_ios = left_out ? left_out__ios(left_out, item->device) : 0;
	}
	if (!err)
		devices->not_found = left_out__not_found(left_out, reader, devices->there,
							 sizeof(devices->there));
	left_out__free(left_out);
	return err;
}

void trace_source_devices__free(struct trace_source_devices *devices)
{
	free(devices->items);
	free(devices->places);
	free(devices->flush_machinery_ios);
	*devices = (struct trace_source_devices){0};
}

static bool is_named(const struct trace_device *device, const char *name)
{
	char number[2 * TRACE_NAME_MAX];

	if (!device)
		return false;
	if (!strncmp(name, "/dev/", 5))
		name += 5;
	snprintf(number, sizeof(number), "%u:%u", device->major, device->minor);
	return !strcmp(name, device->name) || !strcmp(name, number);
}

const struct trace_source_device *
trace_source_devices__find(const struct trace_source_devices *devices,
			   const struct trace_reader *reader, const char *name)
{
	for (unsigned int i = 0; i < devices->count; i++)
		if (is_named(trace_reader__device(reader, devices->items[i].device), name))
			return &devices->items[i];
	return NULL;
}

/* Source ------------------------------------------------------------------------------------- */

/* 1: *io is the next request of the device in the order of the file; 0; negative errno. */
/* *turn: see io_row_turn(). */
static int next_in_file(struct trace_source *s, struct replay_io *io, uint64_t *turn)
{
	for (;;) {
		while (s->block_row < s->block.rows) {
			const struct io_row *row = &s->block.io[s->block_row++];
			uint64_t time_ns = time_from_start(row, s->start_ns);
			int err;

			if (row->device != s->options.device || !io_row_is_request(row) ||
			    !replay_window__holds(&s->options.window, time_ns))
				continue;
			err = left_out__has(s->left_out, s->reader, row);
			if (err < 0)
				return err;
			if (err)
				continue;
			err = replay_io_from_row(row, io);
			if (err)
				return err;
			set_times(row, s->start_ns, s->options.first_ns, io);
			set_submitter(row, s->reader, io);
			*turn = io_row_turn(row);
			return 1;
		}
		s->block_row = 0;
		s->block.rows = 0;
		int err = trace_reader__next(s->reader, 1u << ROW_IO, &s->block);

		if (err <= 0)
			return err;
	}
}

static int trace_source_next(struct replay_source *base, struct replay_io *io)
{
	struct trace_source *s = (struct trace_source *)base;
	const struct replay_io *first;

	while (!s->read_to_end && !reorder_window__full(s->window)) {
		struct replay_io next, *place;
		uint64_t turn = 0;
		int err = next_in_file(s, &next, &turn);

		if (err < 0)
			return err;
		if (err) {
			place = reorder_window__push(s->window, next.due_ns, turn);
			*place = next;
		} else {
			s->read_to_end = true;
		}
	}
	first = reorder_window__pop(s->window);
	if (!first)
		return 0;
	*io = *first;
	if (io->due_ns < s->last_due_ns)
		s->out_of_order++;
	else
		s->last_due_ns = io->due_ns;
	return 1;
}

static void trace_source_free(struct replay_source *base)
{
	struct trace_source *s = (struct trace_source *)base;

	reorder_window__free(s->window);
	left_out__free(s->left_out);
	free(s);
}

static const struct replay_source_ops trace_source_ops = {
	.next = trace_source_next,
	.free = trace_source_free,
};

int trace_source__create(struct trace_reader *reader, const struct trace_source_options *options,
			 struct replay_source **source)
{
	struct trace_source *s = calloc(1, sizeof(*s));
	unsigned int rows = options->reorder_rows;
	int err;

	if (!s)
		return -ENOMEM;
	err = new_left_out(&options->window, &s->left_out);
	if (!err)
		err = reorder_window__create(rows ? rows : TRACE_SOURCE_REORDER_ROWS,
					     sizeof(struct replay_io), &s->window);
	if (err) {
		left_out__free(s->left_out);
		free(s);
		return err;
	}
	s->base.ops = &trace_source_ops;
	s->reader = reader;
	s->options = *options;
	s->start_ns = trace_reader__host(reader)->start_ns;
	*source = &s->base;
	return 0;
}

uint64_t trace_source__out_of_order(const struct replay_source *source)
{
	return ((const struct trace_source *)source)->out_of_order;
}
