// SPDX-License-Identifier: MIT
/* Reads the io rows of 'blkreel dump --format csv'. Columns are found by name. */
#include <errno.h>
#include <stdlib.h>

#include "exchange/input/csv_field.h"
#include "exchange/dump/dump_columns.h"
#include "exchange/foreign.h"

#define HEADER_START "time_s,device,op,sector,bytes,"
/* Of the rows of several traces: devices, tasks and times are of different hosts. */
#define SEVERAL_START "host," HEADER_START
#define COLUMNS_MAX   64

struct state {
	enum dump_column columns[COLUMNS_MAX]; /* in the order of the file */
	unsigned int column_count;	       /* 0: no header yet */
	bool has_times; /* of a clock: time_s alone is from an unknown start */
	struct dump_flag_names flag_names;
	char unquoted[COLUMN_COUNT + 1][CSV_UNQUOTED_MAX];
	/* The lines so far of a record with line breaks in its names. */
	char joined[BYTE_SOURCE_PEEK_MAX];
	size_t joined_bytes;
	bool is_open;	/* ends inside quotes */
	bool has_start; /* it had a row */
};

static bool begins_with(const char *at, size_t bytes, const char *start)
{
	return bytes > strlen(start) && !memcmp(at, start, strlen(start));
}

static bool is_header(const char *at, size_t bytes)
{
	return begins_with(at, bytes, HEADER_START);
}

static bool recognise(const char *head, size_t bytes)
{
	return is_header(head, bytes) || begins_with(head, bytes, SEVERAL_START);
}

static int begin(struct foreign_source *s, const char **message)
{
	struct state *state = s->state;
	size_t bytes;
	const char *head = (const char *)byte_source__peek(s->files[0], &bytes);

	dump_flag_names__init(&state->flag_names);
	if (!head || !begins_with(head, bytes, SEVERAL_START))
		return 0;
	*message = "the rows are of several traces, which 'blkreel copy' joins; a dump of the copy "
		   "can be imported";
	return -EINVAL;
}

static bool is_time(unsigned int column)
{
	return column == COLUMN_CREATED || column == COLUMN_ISSUED || column == COLUMN_COMPLETED;
}

static void take_header(struct state *state, const char *at, const char *end)
{
	state->column_count = 0;
	state->has_times = false;
	while (at < end && state->column_count < COLUMNS_MAX) {
		struct text name = field_text(&at, end, ',');
		unsigned int i = 0;

		while (i < COLUMN_COUNT && !text_is(name, dump_column_names[i]))
			i++;
		state->columns[state->column_count++] = (enum dump_column)i;
		state->has_times |= is_time(i);
	}
}

/*
 * time_s counts from the start of the recording, the other times from that of a clock. Of several
 * inputs the trace begins with the earliest.
 */
static void note_start(struct foreign_source *s, struct text time, const struct io_row *row)
{
	struct state *state = s->state;
	uint64_t *start_ns = &s->report->start_ns, own_ns;
	const char *at = time.at, *end = time.at + time.bytes;
	bool is_negative = at < end && *at == '-';
	uint64_t time_ns;

	at += is_negative;
	if (state->has_start || !field_decimal_ns(&at, end, NSEC_PER_SEC, &time_ns))
		return;
	state->has_start = true;
	own_ns = is_negative ? foreign_row_time_ns(row) + time_ns
			     : foreign_row_time_ns(row) - time_ns;
	if (!*start_ns || own_ns < *start_ns)
		*start_ns = own_ns;
}

static void fill_names(struct foreign_source *s, const struct text *f, struct io_row *row)
{
	uint64_t pid;

	if (f[COLUMN_DEVICE].bytes)
		row->device = foreign_names__device(s->names, f[COLUMN_DEVICE], 0, 0);
	if (f[COLUMN_PID].bytes && dump_columns__number(f[COLUMN_PID], UINT32_MAX, &pid))
		row->task = foreign_names__task_of(s->names, (uint32_t)pid, f[COLUMN_COMM]);
	if (f[COLUMN_FILE].bytes)
		row->file = foreign_names__file(s->names, f[COLUMN_FILE]);
	if (f[COLUMN_CGROUP].bytes)
		row->cgroup = foreign_names__cgroup(s->names, f[COLUMN_CGROUP]);
}

static bool split(struct state *state, const char *at, const char *end,
		  struct text fields[COLUMN_COUNT + 1])
{
	bool more = true;

	for (unsigned int i = 0; i <= COLUMN_COUNT; i++)
		fields[i] = (struct text){"", 0};
	for (unsigned int i = 0; i < state->column_count; i++) {
		enum dump_column column = state->columns[i];

		if (!more ||
		    !csv_field(&at, end, ',', state->unquoted[column], &more, &fields[column]))
			return false;
	}
	return !more;
}

static bool has_open_quote(const char *at, const char *end)
{
	bool is_open = false;

	while ((at = memchr(at, '"', (size_t)(end - at)))) {
		is_open = !is_open;
		at++;
	}
	return is_open;
}

/* Joins a line that ends inside quotes with the next. True: *at to *end is a whole record. */
static bool join(struct foreign_source *s, const char **at, const char **end)
{
	struct state *state = s->state;
	bool toggles = has_open_quote(*at, *end);
	size_t bytes = (size_t)(*end - *at);

	if (!state->is_open && !toggles)
		return true;
	if (!state->is_open)
		state->joined_bytes = 0;
	if (bytes + 1 > sizeof(state->joined) - state->joined_bytes) {
		state->is_open = false;
		foreign_bad_line(s, "a quote is not closed");
		return false;
	}
	memcpy(state->joined + state->joined_bytes, *at, bytes);
	state->joined_bytes += bytes;
	state->is_open ^= toggles;
	if (state->is_open) {
		state->joined[state->joined_bytes++] = '\n';
		return false;
	}
	*at = state->joined;
	*end = state->joined + state->joined_bytes;
	return true;
}

static int line(struct foreign_source *s, const char *at, const char *end, struct io_row *row)
{
	struct state *state = s->state;
	struct text fields[COLUMN_COUNT + 1];
	const char *wrong;

	if (is_header(at, (size_t)(end - at))) {
		take_header(state, at, end);
		return FOREIGN_NOTHING;
	}
	if (!state->column_count)
		return foreign_bad_line(s, "no header before it");
	if (!state->has_times)
		return foreign_bad_line(s, "the header names none of created_ns, issued_ns and "
					   "completed_ns; --from csv --columns takes other CSV");
	if (!join(s, &at, &end))
		return FOREIGN_NOTHING;
	if (!split(state, at, end, fields))
		return foreign_bad_line(s, "the columns differ from the header");
	wrong = dump_columns__to_row(fields, &state->flag_names, row);
	if (wrong)
		return foreign_bad_line(s, wrong);
	note_start(s, fields[COLUMN_TIME], row);
	fill_names(s, fields, row);
	return FOREIGN_ROW;
}

const struct foreign_format format_dump_csv = {
	.name = "dump-csv",
	.title = "output of blkreel dump --format csv",
	.clock = FOREIGN_CLOCK_START,
	.tick_ns = 1,
	.in_order = true,
	.state_bytes = sizeof(struct state),
	.recognise = recognise,
	.begin = begin,
	.line = line,
};
