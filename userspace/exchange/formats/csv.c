// SPDX-License-Identifier: MIT
/* Text in columns, described by --columns. */
#include <errno.h>
#include <strings.h>

#include "exchange/formats/csv_columns.h"
#include "exchange/input/csv_field.h"
#include "exchange/foreign.h"
#include "exchange/formats/scsi.h"

struct state {
	struct csv_columns columns;
	char delimiter;
	bool first_done;
	char unquoted[CSV_KINDS][CSV_UNQUOTED_MAX];
};

/* The fields of a line by kind; missing ones are empty. */
struct fields {
	struct text text[CSV_KINDS];
	uint64_t unit[CSV_KINDS];
};

static int begin(struct foreign_source *s, const char **message)
{
	struct state *state = s->state;

	state->delimiter = s->options->delimiter ? s->options->delimiter : ',';
	return csv_columns__parse(s->options->columns, s->options->op, &state->columns, message);
}

static const char *split(struct state *state, const char *at, const char *end,
			 struct fields *fields)
{
	bool more = true;

	for (unsigned int kind = 0; kind < CSV_KINDS; kind++)
		fields->text[kind] = (struct text){"", 0};
	for (unsigned int i = 0; i < state->columns.count; i++) {
		const struct csv_column *column = &state->columns.items[i];
		struct text text;

		if (!more)
			return "fewer columns than --columns lists";
		if (!csv_field(&at, end, state->delimiter, state->unquoted[column->kind], &more,
			       &text))
			return "a column is missing, or a quote is not closed";
		fields->text[column->kind] = text;
		fields->unit[column->kind] = column->unit;
	}
	return NULL;
}

static bool parse_time(struct text text, uint64_t unit_ns, uint64_t *ns)
{
	const char *at = text.at, *end = text.at + text.bytes;
	uint64_t ticks;

	if (unit_ns == CSV_FILETIME)
		return field_number(&at, end, &ticks) && at == end && foreign_filetime(ticks, ns);
	return field_decimal_ns(&at, end, unit_ns, ns) && at == end && *ns <= FOREIGN_TIME_MAX_NS;
}

static bool is_word(struct text text, const char *word)
{
	return strlen(word) == text.bytes && !strncasecmp(text.at, word, text.bytes);
}

int csv_op_of_word(struct text text)
{
	static const struct {
		const char *word;
		enum io_op op;
	} words[] = {
		{"r", IO_OP_READ},	    {"w", IO_OP_WRITE},	  {"read", IO_OP_READ},
		{"write", IO_OP_WRITE},	    {"rd", IO_OP_READ},	  {"wr", IO_OP_WRITE},
		{"flush", IO_OP_FLUSH},	    {"f", IO_OP_FLUSH},	  {"sync", IO_OP_FLUSH},
		{"discard", IO_OP_DISCARD}, {"d", IO_OP_DISCARD}, {"trim", IO_OP_DISCARD},
		{"unmap", IO_OP_DISCARD},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (is_word(text, words[i].word))
			return words[i].op;
	return -EINVAL;
}

static int op_of_scsi(struct text text)
{
	int high = text.bytes ? field_hex_digit(text.at[0]) : -1;
	int low = text.bytes > 1 ? field_hex_digit(text.at[1]) : -1;

	if (text.bytes == 1 && high >= 0)
		return scsi_op((uint16_t)high);
	return text.bytes == 2 && high >= 0 && low >= 0 ? scsi_op((uint16_t)(16 * high + low))
							: -EINVAL;
}

/* enum io_op; -ENOTSUP: a command that is left out; -EINVAL: unknown. */
static int parse_op(struct text text, enum csv_op_unit unit)
{
	bool is_one = text_is(text, "1");

	switch (unit) {
	case CSV_OP_READ0:
	case CSV_OP_WRITE0:
		if (!is_one && !text_is(text, "0"))
			return -EINVAL;
		return is_one == (unit == CSV_OP_READ0) ? IO_OP_WRITE : IO_OP_READ;
	case CSV_OP_SCSI:
		return op_of_scsi(text);
	case CSV_OP_WORDS:
		break;
	}
	if (text.bytes > 2 && text.at[0] == '0' && (text.at[1] == 'x' || text.at[1] == 'X'))
		return op_of_scsi((struct text){text.at + 2, text.bytes - 2});
	return csv_op_of_word(text);
}

static bool parse_amount(struct text text, uint64_t unit_bytes, uint64_t *bytes)
{
	const char *at = text.at, *end = text.at + text.bytes;

	return field_number(&at, end, bytes) && at == end &&
	       !__builtin_mul_overflow(*bytes, unit_bytes, bytes);
}

/* Fills the fields that not every file has. */
static void fill_rest(struct foreign_source *s, const struct fields *f, struct io_row *row)
{
	const struct state *state = s->state;
	const char *at = f->text[CSV_PID].at;
	uint64_t latency_ns = 0;
	uint32_t pid = 0;

	if (state->columns.has[CSV_LATENCY] &&
	    parse_time(f->text[CSV_LATENCY], f->unit[CSV_LATENCY], &latency_ns))
		foreign_respond(s, row, latency_ns);
	else if (state->columns.has[CSV_LATENCY])
		foreign_no_response(s, f->text[CSV_LATENCY]);
	if (state->columns.has[CSV_PID] && f->text[CSV_PID].bytes &&
	    field_number32(&at, at + f->text[CSV_PID].bytes, &pid))
		row->task = foreign_names__task(s->names, pid, f->text[CSV_COMM]);
	row->device = f->text[CSV_DEVICE].bytes
			      ? foreign_names__device(s->names, f->text[CSV_DEVICE], 0, 0)
			      : foreign_default_device(s);
}

static int make_row(struct foreign_source *s, const struct fields *f, struct io_row *row)
{
	uint64_t time_ns, offset_bytes = 0, bytes = 0;
	int op = s->options->op
			 ? csv_op_of_word((struct text){s->options->op, strlen(s->options->op)})
			 : parse_op(f->text[CSV_OP], (enum csv_op_unit)f->unit[CSV_OP]);

	if (op == -ENOTSUP)
		return foreign_leave_out(s, LEFT_OUT_NOT_IO);
	if (op < 0 && !f->text[CSV_OP].bytes)
		return foreign_leave_out(s, LEFT_OUT_NO_REPLY);
	if (op < 0)
		return foreign_bad_line(s, "unknown operation (for 0 and 1 use op:read0 or "
					   "op:write0)");
	if (!parse_time(f->text[CSV_TIME], f->unit[CSV_TIME], &time_ns))
		return foreign_bad_line(s, "no time that is a number");
	if (op != IO_OP_FLUSH) {
		if (!parse_amount(f->text[CSV_OFFSET], f->unit[CSV_OFFSET], &offset_bytes))
			return foreign_bad_line(s, "no offset");
		if (!parse_amount(f->text[CSV_SIZE], f->unit[CSV_SIZE], &bytes))
			return foreign_bad_line(s, "no size");
		if (!bytes)
			return foreign_leave_out(s, LEFT_OUT_NO_DATA);
	}
	if (!foreign_place(row, offset_bytes, bytes))
		return foreign_bad_line(s, "the address is out of range");
	row->op = (uint8_t)op;
	row->created_ns = foreign_time(time_ns);
	fill_rest(s, f, row);
	return FOREIGN_ROW;
}

static bool is_numeric(struct text text)
{
	bool has_sign = text.bytes && (*text.at == '-' || *text.at == '+');

	return text.bytes > has_sign && field_is_digit(text.at[has_sign]);
}

static int line(struct foreign_source *s, const char *at, const char *end, struct io_row *row)
{
	struct state *state = s->state;
	bool is_first = !state->first_done;
	struct fields fields;
	const char *wrong;

	if (byte_source__line_number(s->files[0]) <= s->options->skip_lines || at == end)
		return FOREIGN_NOTHING;
	state->first_done = true;
	wrong = split(state, at, end, &fields);
	/* A first line without a numeric time holds column names; with one it is a (bad) record. */
	if (is_first && !is_numeric(fields.text[CSV_TIME]))
		return FOREIGN_NOTHING;
	return wrong ? foreign_bad_line(s, wrong) : make_row(s, &fields, row);
}

const struct foreign_format format_csv = {
	.name = "csv",
	.title = "text in columns, described by --columns",
	.clock = FOREIGN_CLOCK_ANY,
	.tick_ns = 1,
	.state_bytes = sizeof(struct state),
	.begin = begin,
	.line = line,
};
