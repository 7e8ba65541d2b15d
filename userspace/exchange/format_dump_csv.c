/* What 'blkreel dump --format csv' prints of io rows, back again. Columns are found by their names. */
#include <errno.h>
#include <stdlib.h>

#include "exchange/csv_field.h"
#include "exchange/foreign.h"

#define HEADER_START "time_s,device,op,sector,bytes,"
#define COLUMNS_MAX  64
#define FLAG_BITS    32

enum column {
	COLUMN_TIME = 0,
	COLUMN_DEVICE,
	COLUMN_OP,
	COLUMN_SECTOR,
	COLUMN_BYTES,
	COLUMN_FLAGS,
	COLUMN_ORIGIN,
	COLUMN_COMM,
	COLUMN_PID,
	COLUMN_FILE,
	COLUMN_CGROUP,
	COLUMN_CPU,
	COLUMN_DEPTH,
	COLUMN_MERGES,
	COLUMN_ERROR,
	COLUMN_CREATED,
	COLUMN_ISSUED,
	COLUMN_COMPLETED,
	COLUMN_COUNT, /* what follows from the others, or is not known */
};

static const char *const column_names[COLUMN_COUNT] = {
	[COLUMN_TIME] = "time_s",
	[COLUMN_DEVICE] = "device",
	[COLUMN_OP] = "op",
	[COLUMN_SECTOR] = "sector",
	[COLUMN_BYTES] = "bytes",
	[COLUMN_FLAGS] = "flags",
	[COLUMN_ORIGIN] = "origin",
	[COLUMN_COMM] = "comm",
	[COLUMN_PID] = "pid",
	[COLUMN_FILE] = "file",
	[COLUMN_CGROUP] = "cgroup",
	[COLUMN_CPU] = "cpu",
	[COLUMN_DEPTH] = "depth",
	[COLUMN_MERGES] = "merges",
	[COLUMN_ERROR] = "error",
	[COLUMN_CREATED] = "created_ns",
	[COLUMN_ISSUED] = "issued_ns",
	[COLUMN_COMPLETED] = "completed_ns",
};

struct state {
	enum column columns[COLUMNS_MAX]; /* in the order of the file */
	unsigned int column_count;	  /* 0: no header was met */
	char flag_names[FLAG_BITS][IO_FLAGS_TEXT_MAX];
	char unquoted[COLUMN_COUNT + 1][CSV_UNQUOTED_MAX];
	/* A record whose names hold line breaks, as far as it was met. */
	char joined[BYTE_SOURCE_PEEK_MAX];
	size_t joined_bytes;
	bool is_open; /* it ends within quotes */
};

static bool is_header(const char *at, size_t bytes)
{
	size_t start_bytes = strlen(HEADER_START);

	return bytes > start_bytes && !memcmp(at, HEADER_START, start_bytes);
}

static bool recognise(const char *head, size_t bytes)
{
	return is_header(head, bytes);
}

static int begin(struct foreign_source *s, const char **message)
{
	struct state *state = s->state;

	for (unsigned int bit = 0; bit < FLAG_BITS; bit++)
		io_flags_text(1u << bit, state->flag_names[bit]);
	return 0;
}

static void take_header(struct state *state, const char *at, const char *end)
{
	state->column_count = 0;
	while (at < end && state->column_count < COLUMNS_MAX) {
		struct text name = field_text(&at, end, ',');
		unsigned int i = 0;

		while (i < COLUMN_COUNT && !text_is(name, column_names[i]))
			i++;
		state->columns[state->column_count++] = (enum column)i;
	}
}

static bool whole(struct text text, uint64_t max, uint64_t *value)
{
	const char *at = text.at, *end = text.at + text.bytes;

	return field_number(&at, end, value) && at == end && *value <= max;
}

/* A number that may be missing: then it is 0. */
static bool number_if_there(struct text text, uint64_t max, uint64_t *value)
{
	*value = 0;
	return !text.bytes || whole(text, max, value);
}

static bool parse_error(struct text text, int32_t *error)
{
	bool is_negative = text.bytes && *text.at == '-';
	uint64_t value;

	if (is_negative)
		text = (struct text){text.at + 1, text.bytes - 1};
	if (!number_if_there(text, INT32_MAX, &value))
		return false;
	*error = is_negative ? -(int32_t)value : (int32_t)value;
	return true;
}

static bool parse_flags(const struct state *state, struct text text, uint32_t *flags)
{
	const char *at = text.at, *end = text.at + text.bytes;

	while (at < end) {
		struct text word = field_text(&at, end, '|');
		unsigned int bit = 0;

		while (bit < FLAG_BITS && !text_is(word, state->flag_names[bit]))
			bit++;
		if (bit == FLAG_BITS || !word.bytes)
			return false;
		*flags |= 1u << bit;
	}
	return true;
}

static bool parse_op(struct text text, uint8_t *op)
{
	for (unsigned int i = 0; i < IO_OP_COUNT; i++) {
		if (!text_is(text, io_op_name((enum io_op)i)))
			continue;
		*op = (uint8_t)i;
		return true;
	}
	return false;
}

static bool parse_origin(struct text text, uint8_t *origin)
{
	for (unsigned int i = 0; i < IO_ORIGIN_COUNT; i++) {
		if (!text_is(text, io_origin_name((enum io_origin)i)))
			continue;
		*origin = (uint8_t)i;
		return true;
	}
	return !text.bytes;
}

static const char *parse_numbers(const struct text *f, struct io_row *row)
{
	uint64_t cpu, depth, merges;

	if (!whole(f[COLUMN_SECTOR], UINT64_MAX, &row->sector) ||
	    !whole(f[COLUMN_BYTES], UINT64_MAX, &row->bytes))
		return "no sector and bytes";
	if (!number_if_there(f[COLUMN_CREATED], UINT64_MAX, &row->created_ns) ||
	    !number_if_there(f[COLUMN_ISSUED], UINT64_MAX, &row->issued_ns) ||
	    !number_if_there(f[COLUMN_COMPLETED], UINT64_MAX, &row->completed_ns))
		return "a time is no number";
	if (!number_if_there(f[COLUMN_CPU], UINT16_MAX, &cpu) ||
	    !number_if_there(f[COLUMN_DEPTH], UINT32_MAX, &depth) ||
	    !number_if_there(f[COLUMN_MERGES], UINT32_MAX, &merges) ||
	    !parse_error(f[COLUMN_ERROR], &row->error))
		return "cpu, depth, merges or error is no number";
	row->cpu = (uint16_t)cpu;
	row->depth = (uint32_t)depth;
	row->merges = (uint32_t)merges;
	return NULL;
}

/* time_s counts from the start of the recording, the other times from that of a clock. */
static void note_start(struct foreign_source *s, struct text time, const struct io_row *row)
{
	const char *at = time.at, *end = time.at + time.bytes;
	bool is_negative = at < end && *at == '-';
	uint64_t time_ns;

	at += is_negative;
	if (s->report->start_ns || !field_decimal_ns(&at, end, NSEC_PER_SEC, &time_ns))
		return;
	s->report->start_ns = is_negative ? foreign_row_time_ns(row) + time_ns
					  : foreign_row_time_ns(row) - time_ns;
}

static void fill_names(struct foreign_source *s, const struct text *f, struct io_row *row)
{
	uint64_t pid;

	if (f[COLUMN_DEVICE].bytes)
		row->device = foreign_names__device(s->names, f[COLUMN_DEVICE], 0, 0);
	if (f[COLUMN_PID].bytes && whole(f[COLUMN_PID], UINT32_MAX, &pid))
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
		enum column column = state->columns[i];

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

/* A line that ends within quotes is kept for the next. True: *at to *end is a whole record. */
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
		foreign_bad_line(s, "a quote that is not closed");
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
	if (!join(s, &at, &end))
		return FOREIGN_NOTHING;
	if (!split(state, at, end, fields))
		return foreign_bad_line(s, "other columns than the header has");
	if (!parse_op(fields[COLUMN_OP], &row->op))
		return foreign_bad_line(s, "the operation is not known");
	if (!parse_flags(state, fields[COLUMN_FLAGS], &row->flags) ||
	    !parse_origin(fields[COLUMN_ORIGIN], &row->origin))
		return foreign_bad_line(s, "a flag or the origin is not known");
	wrong = parse_numbers(fields, row);
	if (wrong)
		return foreign_bad_line(s, wrong);
	note_start(s, fields[COLUMN_TIME], row);
	fill_names(s, fields, row);
	return FOREIGN_ROW;
}

const struct foreign_format format_dump_csv = {
	.name = "dump-csv",
	.title = "what blkreel dump --format csv printed",
	.clock = FOREIGN_CLOCK_START,
	.tick_ns = 1,
	.in_order = true,
	.state_bytes = sizeof(struct state),
	.recognise = recognise,
	.begin = begin,
	.line = line,
};
