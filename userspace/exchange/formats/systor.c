// SPDX-License-Identifier: MIT
/* SYSTOR'17: Timestamp,Response,IOType,LUN,Offset,Size behind a header; only us are valid. */
#include "exchange/foreign.h"

#define HEADER	      "Timestamp,Response,IOType,LUN,Offset,Size"
#define DEVICE_PREFIX "lun"
#define TIME_DIGITS   9

static bool recognise(const char *head, size_t bytes)
{
	size_t header_bytes = strlen(HEADER);

	return bytes > header_bytes && !memcmp(head, HEADER, header_bytes) &&
	       (head[header_bytes] == '\n' || head[header_bytes] == '\r');
}

/* The operation is blank if the tracer saw no reply. */
static int parse_op(struct foreign_source *s, struct text op, bool *is_write)
{
	if (!op.bytes)
		return foreign_leave_out(s, LEFT_OUT_NO_REPLY);
	*is_write = text_is(op, "W");
	if (!*is_write && !text_is(op, "R"))
		return foreign_bad_line(s, "the type is neither R nor W");
	return FOREIGN_ROW;
}

/* The response time may be missing or negative. */
static bool parse_response(struct text text, uint64_t *response_ns)
{
	const char *at = text.at, *end = text.at + text.bytes;

	*response_ns = 0;
	if (text.bytes && *at == '-')
		return true;
	return !text.bytes || field_decimal_ns(&at, end, NSEC_PER_SEC, response_ns);
}

static int line(struct foreign_source *s, const char *at, const char *end, struct io_row *row)
{
	uint64_t time_ns, response_ns, lun, offset_bytes, bytes;
	struct text response, op;
	bool is_write = false;
	int result;

	/* Files that were joined have a header inside, too. */
	if (text_is((struct text){at, (size_t)(end - at)}, HEADER))
		return FOREIGN_NOTHING;
	if (!field_decimal_ns(&at, end, NSEC_PER_SEC, &time_ns) || !field_separator(&at, end, ','))
		return foreign_bad_line(s, "no timestamp");
	response = field_text(&at, end, ',');
	op = field_text(&at, end, ',');
	if (!parse_response(response, &response_ns))
		return foreign_bad_line(s, "the response time is no number");
	if (!field_number(&at, end, &lun) || !field_separator(&at, end, ','))
		return foreign_bad_line(s, "no LUN");
	if (!field_number(&at, end, &offset_bytes) || !field_separator(&at, end, ','))
		return foreign_bad_line(s, "no offset");
	if (!field_number(&at, end, &bytes) || !field_end(&at, end) ||
	    !foreign_place(row, offset_bytes, bytes))
		return foreign_bad_line(s, "no size");
	result = parse_op(s, op, &is_write);
	if (result == FOREIGN_ROW)
		result = foreign_finish_data(s, row, time_ns, is_write);
	if (result != FOREIGN_ROW)
		return result;
	foreign_respond(s, row, response_ns);
	row->device = foreign_numbered_device(s, DEVICE_PREFIX, lun);
	return FOREIGN_ROW;
}

static void print_head(struct foreign_output *o)
{
	put_text(o, HEADER "\n");
}

static uint64_t whole_us(uint64_t time_ns)
{
	return time_ns - time_ns % NSEC_PER_USEC;
}

static bool print(struct foreign_output *o, const struct io_row *row)
{
	uint64_t latency_ns = whole_us(foreign_row_latency_ns(row));

	if (!foreign_row_moves_sectors(row))
		return false;
	put_decimal(o, whole_us(foreign_output__unix_ns(o, foreign_row_time_ns(row))), NSEC_PER_SEC,
		    TIME_DIGITS);
	put_char(o, ',');
	if (latency_ns)
		put_decimal(o, latency_ns, NSEC_PER_SEC, TIME_DIGITS);
	put_text(o, row->op == IO_OP_READ ? ",R," : ",W,");
	put_number(o, foreign_output__device_number(o, row->device, DEVICE_PREFIX));
	put_char(o, ',');
	put_number(o, row->sector * SECTOR_BYTES);
	put_char(o, ',');
	put_number(o, row->bytes);
	put_char(o, '\n');
	return true;
}

const struct foreign_format format_systor = {
	.name = "systor",
	.title = "SYSTOR'17 (VDI): " HEADER,
	.clock = FOREIGN_CLOCK_UNIX,
	.tick_ns = NSEC_PER_USEC,
	.recognise = recognise,
	.line = line,
	.print_head = print_head,
	.print = print,
};
