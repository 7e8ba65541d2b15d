// SPDX-License-Identifier: MIT
/* UMass / SPC: ASU,LBA,Size,Opcode,Timestamp[,...]; blocks of 512 bytes, bytes, seconds. */
#include "exchange/foreign.h"

#define DEVICE_PREFIX "asu"

struct record {
	uint64_t asu, sector, bytes, time_ns;
	bool is_write;
	bool has_fraction;
};

static const char *parse(const char *at, const char *end, struct record *r)
{
	char op;

	if (!field_number(&at, end, &r->asu) || !field_separator(&at, end, ','))
		return "no ASU";
	if (!field_number(&at, end, &r->sector) || !field_separator(&at, end, ','))
		return "no LBA";
	if (!field_number(&at, end, &r->bytes) || !field_separator(&at, end, ','))
		return "no size";
	op = at < end ? *at++ : '\0';
	r->is_write = op == 'W' || op == 'w';
	if (!r->is_write && op != 'R' && op != 'r')
		return "the opcode is neither R nor W";
	if (!field_separator(&at, end, ','))
		return "no timestamp";
	r->has_fraction = memchr(at, '.', (size_t)(end - at));
	if (!field_decimal_ns(&at, end, NSEC_PER_SEC, &r->time_ns))
		return "no timestamp";
	return NULL;
}

/* A fraction and lengths in sectors tell it from other files of numbers. */
static bool is_record(const char *at, const char *end)
{
	struct record r;

	return !parse(at, end, &r) && r.has_fraction && r.bytes && r.bytes % SECTOR_BYTES == 0;
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
	if (r.sector > FOREIGN_SECTOR_MAX || !foreign_place(row, r.sector * SECTOR_BYTES, r.bytes))
		return foreign_bad_line(s, "the address is beyond all disks");
	result = foreign_finish_data(s, row, r.time_ns, r.is_write);
	if (result == FOREIGN_ROW)
		row->device = foreign_numbered_device(s, DEVICE_PREFIX, r.asu);
	return result;
}

static bool print(struct foreign_output *o, const struct io_row *row)
{
	uint64_t time_ns = foreign_output__since_start_ns(o, foreign_row_time_ns(row));

	if (!foreign_row_moves_sectors(row))
		return false;
	put_number(o, foreign_output__device_number(o, row->device, DEVICE_PREFIX));
	put_char(o, ',');
	put_number(o, row->sector);
	put_char(o, ',');
	put_number(o, row->bytes);
	put_text(o, row->op == IO_OP_READ ? ",R," : ",W,");
	put_decimal(o, time_ns, NSEC_PER_SEC, foreign_output__digits(o));
	put_char(o, '\n');
	return true;
}

const struct foreign_format format_spc = {
	.name = "spc",
	.title = "UMass, SPC: ASU,LBA,bytes,R|W,seconds",
	.clock = FOREIGN_CLOCK_START,
	.tick_ns = 1,
	.recognise = recognise,
	.line = line,
	.print = print,
};
