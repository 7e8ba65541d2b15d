// SPDX-License-Identifier: MIT
/*
 * blktrace's binary records: one file per CPU (DEVICE.blktrace.CPU), all of them one stream, or one
 * file of 'blkparse -d' or 'blktrace -o -'.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/events/blktrace_record.h"
#include "exchange/events/block_events.h"
#include "exchange/events/block_heap.h"
#include "exchange/events/block_print.h"

/* Events to be sorted, over all files: a stream of all CPUs comes in large pieces. */
#define WINDOW_EVENTS	  65536u
#define FILE_EVENTS_MIN	  64u
#define NAME_BEFORE	  ".blktrace."
#define PAYLOAD_BYTES_MAX UINT16_MAX

struct input {
	struct byte_source *file;
	struct text device; /* from the file's name; empty: unknown */
	uint32_t waiting;   /* events to be sorted */
	bool over;
	bool damaged; /* until the next good record */
};

struct state {
	struct block_events *events;
	struct block_heap *heap;
	struct input *inputs;
	uint32_t window; /* per file */
	uint64_t read;
	uint64_t late, last_ns;
	uint64_t first_ns; /* of the first event, which is the start of the trace */
	uint64_t wall_ns, wall_at_ns;
	bool started;
};

static bool recognise(const char *head, size_t bytes)
{
	struct blktrace_head ignored;

	return bytes >= BLKTRACE_BYTES && blktrace_head((const uint8_t *)head, &ignored);
}

static struct text device_of_file(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *end = strstr(name, NAME_BEFORE);

	return (struct text){name, end ? (size_t)(end - name) : 0};
}

static int begin(struct foreign_source *s, const char **message)
{
	struct state *state = s->state;

	state->window = WINDOW_EVENTS / s->file_count;
	state->window = state->window > FILE_EVENTS_MIN ? state->window : FILE_EVENTS_MIN;
	state->inputs = calloc(s->file_count, sizeof(*state->inputs));
	state->heap = block_heap__new(state->window * s->file_count);
	state->events = block_events__new(s);
	if (!state->inputs || !state->heap || !state->events)
		return -ENOMEM;
	for (unsigned int i = 0; i < s->file_count; i++) {
		state->inputs[i].file = s->files[i];
		state->inputs[i].device = device_of_file(byte_source__name(s->files[i]));
	}
	return 0;
}

static void finish(struct foreign_source *s)
{
	struct state *state = s->state;

	block_events__free(state->events);
	block_heap__free(state->heap);
	free(state->inputs);
}

/* Counts a damaged part once, whatever its length. */
static void damage(struct foreign_source *s, struct input *input, const char *reason)
{
	if (!input->damaged)
		foreign_bad(s, input->file, reason);
	input->damaged = true;
}

/* Moves on to the next bytes that look like a record. */
static void skip_damage(struct input *input, const uint8_t *at, size_t bytes)
{
	struct blktrace_head ignored;
	size_t skip = 1;

	while (skip + BLKTRACE_MAGIC_BYTES <= bytes && !blktrace_head(at + skip, &ignored))
		skip++;
	byte_source__take(input->file, skip);
}

static void take_note(struct foreign_source *s, const struct blktrace_record *record,
		      const struct blktrace_head *head, const uint8_t *payload, uint32_t bytes)
{
	struct state *state = s->state;
	uint64_t wall_ns;

	if (record->note == BLKTRACE_NOTE_PROCESS && record->event.pid && bytes)
		foreign_names__task(s->names, record->event.pid,
				    (struct text){(const char *)payload, bytes});
	if (record->note != BLKTRACE_NOTE_TIMESTAMP || state->wall_ns)
		return;
	wall_ns = blktrace_decode_timestamp(payload, bytes, head);
	state->wall_ns = wall_ns;
	state->wall_at_ns = record->event.time_ns;
}

static bool is_possible(const struct block_event *event)
{
	return event->time_ns <= FOREIGN_TIME_MAX_NS &&
	       (event->sector <= FOREIGN_SECTOR_MAX || !event->bytes);
}

/* 1: *event is an event of the file; 0: a record to ignore; -1: the file is over. */
static int read_record(struct foreign_source *s, struct input *input, struct block_event *event)
{
	struct blktrace_record record;
	struct blktrace_head head;
	const uint8_t *payload = NULL;
	size_t bytes;
	const uint8_t *at = byte_source__peek(input->file, &bytes);

	if (!at)
		return -1;
	if (bytes >= BLKTRACE_MAGIC_BYTES && !blktrace_head(at, &head)) {
		damage(s, input, "no blktrace record begins here");
		skip_damage(input, at, bytes);
		return 0;
	}
	if (bytes < BLKTRACE_MAGIC_BYTES || bytes < head.bytes) {
		damage(s, input, "the last record is cut");
		return -1;
	}
	if (!blktrace_decode(at, &head, &record) || !is_possible(&record.event)) {
		damage(s, input, "a blktrace record with impossible values");
		skip_damage(input, at, bytes);
		return 0;
	}
	input->damaged = false;
	byte_source__take(input->file, head.bytes);
	if (record.payload_bytes) {
		payload = byte_source__take(input->file, record.payload_bytes);
		if (!payload) {
			damage(s, input, "the last record is cut");
			return -1;
		}
		payload += record.cgroup_bytes;
	}
	if (record.note) {
		take_note(s, &record, &head, payload, record.payload_bytes - record.cgroup_bytes);
		return 0;
	}
	*event = record.event;
	if (payload)
		blktrace_decode_payload(payload, record.payload_bytes - record.cgroup_bytes, event);
	return event->action != BLOCK_NOTHING;
}

static void fill(struct foreign_source *s, uint32_t i)
{
	struct state *state = s->state;
	struct input *input = &state->inputs[i];
	struct block_event event;

	while (!input->over && input->waiting < state->window) {
		int result = read_record(s, input, &event);

		input->over = result < 0;
		if (result <= 0)
			continue;
		block_heap__push(state->heap, &event, state->read++, i);
		input->waiting++;
	}
}

static void start(struct foreign_source *s, const struct block_event *first)
{
	struct state *state = s->state;

	state->started = true;
	state->first_ns = first->time_ns;
	s->report->start_ns = FOREIGN_ORIGIN_NS;
	if (state->wall_ns)
		s->report->start_wall_ns = state->wall_ns + state->first_ns - state->wall_at_ns;
}

/* Takes the next event of all files; false: there is none. */
static bool next_event(struct foreign_source *s, struct block_event *event, struct text *device)
{
	struct state *state = s->state;
	uint32_t i;

	for (i = 0; !state->started && i < s->file_count; i++)
		fill(s, i);
	if (!block_heap__pop(state->heap, event, &i))
		return false;
	state->inputs[i].waiting--;
	if (!state->started)
		start(s, event);
	fill(s, i);
	*device = state->inputs[i].device;
	state->late += event->time_ns < state->last_ns;
	state->last_ns = event->time_ns;
	event->time_ns = event->time_ns > state->first_ns ? event->time_ns - state->first_ns : 0;
	event->time_ns = foreign_time(event->time_ns);
	block_events__name_task(state->events, event, (struct text){"", 0});
	return true;
}

static int end(struct foreign_source *s)
{
	const struct state *state = s->state;
	char note[FOREIGN_NOTE_BYTES];

	if (state->late) {
		snprintf(note, sizeof(note), "%s came too late to be sorted: IOs may be incomplete",
			 COUNTED_TEXT(state->late, "event"));
		foreign_note(s, note);
	}
	for (unsigned int i = 0; i < s->file_count; i++)
		if (byte_source__error(s->files[i]))
			return byte_source__error(s->files[i]);
	return 0;
}

static int feed(struct foreign_source *s)
{
	struct state *state = s->state;
	struct block_event event;
	struct text device;

	if (!next_event(s, &event, &device))
		return end(s);
	return block_events__feed(state->events, &event, device) ?: 1;
}

static int next(struct foreign_source *s, struct io_row *row)
{
	struct state *state = s->state;

	return block_events__next(state->events, feed, row);
}

static void put_event(struct foreign_output *o, const struct block_event *event,
		      const struct block_print_context *context)
{
	uint8_t record[BLKTRACE_BYTES], wall[8];

	if (context->first && context->wall_ns) {
		put_le32(wall, (uint32_t)(context->wall_ns / NSEC_PER_SEC));
		put_le32(wall + 4, (uint32_t)(context->wall_ns % NSEC_PER_SEC));
		blktrace_encode_note(event, BLKTRACE_NOTE_TIMESTAMP, sizeof(wall), record);
		put_bytes(o, record, sizeof(record));
		put_bytes(o, wall, sizeof(wall));
	}
	if (context->new_pid) {
		blktrace_encode_note(event, BLKTRACE_NOTE_PROCESS, BLOCK_PRINT_COMM_BYTES, record);
		put_bytes(o, record, sizeof(record));
		put_bytes(o, context->comm, BLOCK_PRINT_COMM_BYTES);
	}
	blktrace_encode(event, record);
	put_bytes(o, record, sizeof(record));
}

static bool print(struct foreign_output *o, const struct io_row *row)
{
	return block_print__row(o, row, put_event);
}

static void print_end(struct foreign_output *o)
{
	block_print__end(o, put_event);
}

const struct foreign_format format_blktrace = {
	.name = "blktrace",
	.title = "blktrace binaries: DEVICE.blktrace.0 ..., or one file of 'blkparse -d'",
	.clock = FOREIGN_CLOCK_START,
	.tick_ns = 1,
	.grouped = true,
	.in_order = true,
	.knows_layers = true,
	.binary = true,
	.holds_events = true,
	.state_bytes = sizeof(struct state),
	.recognise = recognise,
	.begin = begin,
	.next = next,
	.finish = finish,
	.print = print,
	.print_end = print_end,
};
