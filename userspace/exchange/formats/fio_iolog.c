// SPDX-License-Identifier: MIT
/*
 * fio's log of IOs. Version 2: "file action [offset length]", where "file wait us" advances the
 * time; version 3: "us file action [offset length]". Files become devices.
 */
#include "exchange/foreign.h"
#include "trace/format.h"

#define HEADER_START "fio version "
#define HEADER_END   " iolog"

enum action {
	ACTION_FILE, /* add, open, close */
	ACTION_IO,
	ACTION_FLUSH,
	ACTION_WAIT,
	ACTION_UNKNOWN
};

struct state {
	uint32_t version; /* 0: no header yet */
	uint64_t now;	  /* version 2, in units of time */
};

/* The version in a header line; 0: not a header. */
static uint32_t header_version(const char *at, const char *end)
{
	size_t start_bytes = strlen(HEADER_START);
	uint32_t version;

	if ((size_t)(end - at) < start_bytes || memcmp(at, HEADER_START, start_bytes))
		return 0;
	at += start_bytes;
	if (!field_number32(&at, end, &version) ||
	    !text_is((struct text){at, (size_t)(end - at)}, HEADER_END))
		return 0;
	return version;
}

static bool recognise(const char *head, size_t bytes)
{
	const char *feed = memchr(head, '\n', bytes);
	const char *end = feed ? feed : head + bytes;

	end -= end > head && end[-1] == '\r';
	return header_version(head, end) != 0;
}

static enum action action_of(struct text word, uint8_t *op)
{
	static const struct {
		const char *word;
		enum action action;
		uint8_t op;
	} actions[] = {
		{"read", ACTION_IO, IO_OP_READ},
		{"write", ACTION_IO, IO_OP_WRITE},
		{"trim", ACTION_IO, IO_OP_DISCARD},
		{"sync", ACTION_FLUSH, IO_OP_FLUSH},
		{"datasync", ACTION_FLUSH, IO_OP_FLUSH},
		{"wait", ACTION_WAIT, 0},
		{"add", ACTION_FILE, 0},
		{"open", ACTION_FILE, 0},
		{"close", ACTION_FILE, 0},
	};

	for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++) {
		if (!text_is(word, actions[i].word))
			continue;
		*op = actions[i].op;
		return actions[i].action;
	}
	return ACTION_UNKNOWN;
}

static int take_header(struct foreign_source *s, struct state *state, uint32_t version)
{
	*state = (struct state){.version = version == 2 || version == 3 ? version : 0};
	if (version == 2)
		foreign_note(s, "a log of version 2: fio omits waits below 100 us, so IOs are "
				"closer together than in reality");
	return state->version ? FOREIGN_NOTHING
			      : foreign_bad_line(s, "a version other than 2 and 3");
}

static uint64_t unit_ns(const struct foreign_source *s)
{
	return s->options->time_unit_ns ?: NSEC_PER_USEC;
}

/* Version 2: the time advances from the wait before. */
static int wait(struct foreign_source *s, struct state *state, const char *at, const char *end)
{
	uint64_t units;

	if (!field_number(&at, end, &units) ||
	    units > FOREIGN_TIME_MAX_NS / unit_ns(s) - state->now)
		return foreign_bad_line(s, "no time to wait");
	state->now += units;
	return FOREIGN_NOTHING;
}

static int take_io(struct foreign_source *s, struct text file, uint8_t op, uint64_t time_ns,
		   struct text numbers, struct io_row *row)
{
	const char *at = numbers.at, *end = numbers.at + numbers.bytes;
	uint64_t offset_bytes = 0, bytes = 0;

	if (op != IO_OP_FLUSH) {
		if (!field_number(&at, end, &offset_bytes) || !field_gap(&at, end))
			return foreign_bad_line(s, "no offset");
		if (!field_number(&at, end, &bytes))
			return foreign_bad_line(s, "no length");
		if (!bytes)
			return foreign_leave_out(s, LEFT_OUT_NO_DATA);
	}
	if (!foreign_place(row, offset_bytes, bytes))
		return foreign_bad_line(s, "the address is out of range");
	row->created_ns = foreign_time(time_ns);
	row->op = op;
	row->device = foreign_names__device(s->names, file, 0, 0);
	return FOREIGN_ROW;
}

static int line(struct foreign_source *s, const char *at, const char *end, struct io_row *row)
{
	struct state *state = s->state;
	uint32_t version = header_version(at, end);
	uint64_t time = state->now;
	struct text file;
	uint8_t op;

	if (version)
		return take_header(s, state, version);
	field_blanks(&at, end);
	if (at == end)
		return FOREIGN_NOTHING;
	if (!state->version)
		return foreign_bad_line(s, "no header of version 2 or 3 before it");
	if (state->version == 3 && (!field_number(&at, end, &time) || !field_gap(&at, end)))
		return foreign_bad_line(s, "no time");
	if (time > FOREIGN_TIME_MAX_NS / unit_ns(s))
		return foreign_bad_line(s, "the time is out of range");
	file = field_word(&at, end);
	switch (action_of(field_word(&at, end), &op)) {
	case ACTION_FILE:
		return FOREIGN_NOTHING;
	case ACTION_WAIT:
		return wait(s, state, at, end);
	case ACTION_IO:
	case ACTION_FLUSH:
		return take_io(s, file, op, time * unit_ns(s),
			       (struct text){at, (size_t)(end - at)}, row);
	case ACTION_UNKNOWN:
		break;
	}
	return foreign_bad_line(s, "unknown action");
}

/* Devices written so far: each must be added before it is used. */
struct written {
	bool added[TRACE_DEVICES_MAX + 1];
};

static void print_head(struct foreign_output *o)
{
	put_text(o, "fio version 3 iolog\n");
}

static void print_file(struct foreign_output *o, uint64_t time_us, uint32_t device,
		       const char *action)
{
	put_number(o, time_us);
	put_char(o, ' ');
	put_name(o, foreign_output__device_name(o, device), "");
	put_char(o, ' ');
	put_text(o, action);
}

static const char *action_for(const struct io_row *row)
{
	if (io_row_is_flush(row))
		return "sync 0 0\n";
	if (!row->bytes)
		return NULL;
	switch (row->op) {
	case IO_OP_READ:
		return "read ";
	case IO_OP_WRITE:
		return "write ";
	case IO_OP_DISCARD:
		return "trim ";
	default:
		return NULL;
	}
}

static bool print(struct foreign_output *o, const struct io_row *row)
{
	struct written *written = foreign_output__state(o, sizeof(*written));
	uint32_t device = row->device <= TRACE_DEVICES_MAX ? row->device : 0;
	uint64_t time_us =
		foreign_output__since_start_ns(o, foreign_row_time_ns(row)) / NSEC_PER_USEC;
	const char *action = action_for(row);

	if (!written || !action)
		return false;
	if (!written->added[device]) {
		print_file(o, time_us, device, "add\n");
		print_file(o, time_us, device, "open\n");
		written->added[device] = true;
	}
	print_file(o, time_us, device, action);
	if (io_row_is_flush(row))
		return true;
	put_number(o, row->sector * SECTOR_BYTES);
	put_char(o, ' ');
	put_number(o, row->bytes);
	put_char(o, '\n');
	return true;
}

const struct foreign_format format_fio_iolog = {
	.name = "fio-iolog",
	.title = "fio's write_iolog, version 2 and 3 (written as version 3)",
	.clock = FOREIGN_CLOCK_START,
	.tick_ns = NSEC_PER_USEC,
	.state_bytes = sizeof(struct state),
	.recognise = recognise,
	.line = line,
	.print_head = print_head,
	.print = print,
};
