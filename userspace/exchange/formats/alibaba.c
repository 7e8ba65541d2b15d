// SPDX-License-Identifier: MIT
/* Alibaba block traces 2020: device_id,opcode,offset,length,timestamp; bytes, us since 1970. */
#include "exchange/foreign.h"

#define DEVICE_PREFIX "disk"
/* 2000 to 2100, as a sign that a number is a time. */
#define YEAR_2000_NS (946684800 * NSEC_PER_SEC)
#define YEAR_2100_NS (4102444800 * NSEC_PER_SEC)

static const char *parse(const char *at, const char *end, struct foreign_record *r)
{
	uint64_t time_us;
	struct text op;

	if (!field_number(&at, end, &r->device) || !field_separator(&at, end, ','))
		return "no device";
	op = field_text(&at, end, ',');
	r->is_write = text_is(op, "W");
	if (!r->is_write && !text_is(op, "R"))
		return "the operation is neither R nor W";
	if (!field_number(&at, end, &r->offset_bytes) || !field_separator(&at, end, ','))
		return "no offset";
	if (!field_number(&at, end, &r->bytes) || !field_separator(&at, end, ','))
		return "no length";
	if (!field_number(&at, end, &time_us) || !field_end(&at, end))
		return "no timestamp";
	if (time_us > FOREIGN_TIME_MAX_NS / NSEC_PER_USEC)
		return "the time is out of range";
	r->time_ns = time_us * NSEC_PER_USEC;
	return NULL;
}

static bool is_record(const char *at, const char *end)
{
	struct foreign_record r;

	if (text_is((struct text){at, (size_t)(end - at)},
		    "device_id,opcode,offset,length,timestamp"))
		return true;
	return !parse(at, end, &r) && r.time_ns >= YEAR_2000_NS && r.time_ns < YEAR_2100_NS;
}

static bool recognise(const char *head, size_t bytes)
{
	return foreign_lines_are(head, bytes, is_record);
}

static int line(struct foreign_source *s, const char *at, const char *end, struct io_row *row)
{
	return foreign_record_line(s, at, end, parse, DEVICE_PREFIX, row);
}

static bool print(struct foreign_output *o, const struct io_row *row)
{
	uint64_t time_ns = foreign_output__unix_ns(o, foreign_row_time_ns(row));

	if (!foreign_row_moves_sectors(row))
		return false;
	put_number(o, foreign_output__device_number(o, row->device, DEVICE_PREFIX));
	put_text(o, row->op == IO_OP_READ ? ",R," : ",W,");
	put_number(o, row->sector * SECTOR_BYTES);
	put_char(o, ',');
	put_number(o, row->bytes);
	put_char(o, ',');
	put_number(o, time_ns / NSEC_PER_USEC);
	put_char(o, '\n');
	return true;
}

const struct foreign_format format_alibaba = {
	.name = "alibaba",
	.title = "Alibaba 2020: device,op,offset,length,time in us",
	.clock = FOREIGN_CLOCK_UNIX,
	.tick_ns = NSEC_PER_USEC,
	.recognise = recognise,
	.line = line,
	.print = print,
};
