// SPDX-License-Identifier: MIT
/* Alibaba block traces 2020: device_id,opcode,offset,length,timestamp; bytes, us since 1970. */
#include "exchange/foreign.h"

#define DEVICE_PREFIX "disk"
/* 2000 to 2100, as a sign that a number is a time. */
#define YEAR_2000_US 946684800000000ull
#define YEAR_2100_US 4102444800000000ull

struct record {
	uint64_t device, offset_bytes, bytes, time_us;
	bool is_write;
};

static const char *parse(const char *at, const char *end, struct record *r)
{
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
	if (!field_number(&at, end, &r->time_us) || !field_end(&at, end))
		return "no timestamp";
	return NULL;
}

static bool is_record(const char *at, const char *end)
{
	struct record r;

	if (text_is((struct text){at, (size_t)(end - at)},
		    "device_id,opcode,offset,length,timestamp"))
		return true;
	return !parse(at, end, &r) && r.time_us >= YEAR_2000_US && r.time_us < YEAR_2100_US;
}

static bool recognise(const char *head, size_t bytes)
{
	return foreign_lines_are(head, bytes, is_record);
}

static int line(struct foreign_source *s, const char *at, const char *end, struct io_row *row)
{
	struct record r;
	const char *wrong;
	int result;

	if (foreign_is_header(s, at, end))
		return FOREIGN_NOTHING;
	wrong = parse(at, end, &r);
	if (wrong)
		return foreign_bad_line(s, wrong);
	if (r.time_us > FOREIGN_TIME_MAX_NS / NSEC_PER_USEC)
		return foreign_bad_line(s, "the time is beyond all clocks");
	if (!foreign_place(row, r.offset_bytes, r.bytes))
		return foreign_bad_line(s, "the address is beyond all disks");
	result = foreign_finish_data(s, row, r.time_us * NSEC_PER_USEC, r.is_write);
	if (result == FOREIGN_ROW)
		row->device = foreign_numbered_device(s, DEVICE_PREFIX, r.device);
	return result;
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
