// SPDX-License-Identifier: MIT
/* UMass / SPC: ASU,LBA,Size,Opcode,Timestamp[,...]; blocks of 512 bytes, bytes, seconds. */
#include "exchange/foreign.h"

#define DEVICE_PREFIX "asu"

static const char *parse(const char *at, const char *end, struct foreign_record *r)
{
	uint64_t sector;
	char op;

	if (!field_number(&at, end, &r->device) || !field_separator(&at, end, ','))
		return "no ASU";
	if (!field_number(&at, end, &sector) || !field_separator(&at, end, ','))
		return "no LBA";
	r->offset_bytes = sector > FOREIGN_SECTOR_MAX ? UINT64_MAX : sector * SECTOR_BYTES;
	if (!field_number(&at, end, &r->bytes) || !field_separator(&at, end, ','))
		return "no size";
	op = at < end ? *at++ : '\0';
	r->is_write = op == 'W' || op == 'w';
	if (!r->is_write && op != 'R' && op != 'r')
		return "the opcode is neither R nor W";
	if (!field_separator(&at, end, ','))
		return "no timestamp";
	if (!field_decimal_ns(&at, end, NSEC_PER_SEC, &r->time_ns))
		return "no timestamp";
	if (!field_end(&at, end) && *at != ',')
		return "the timestamp is no number";
	return NULL;
}

/* A fraction or an exponent, and lengths in whole sectors, distinguish it from other files of numbers. */
static bool is_record(const char *at, const char *end)
{
	struct foreign_record r;

	return !parse(at, end, &r) && r.bytes && r.bytes % SECTOR_BYTES == 0 &&
	       (memchr(at, '.', (size_t)(end - at)) || memchr(at, 'e', (size_t)(end - at)));
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
