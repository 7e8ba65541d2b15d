// SPDX-License-Identifier: MIT
/* Tencent CBS 2018: Timestamp,Offset,Size,IOType,VolumeID; seconds, sectors, 0 is a read. */
#include "exchange/foreign.h"

#define DEVICE_PREFIX "volume"

static int line(struct foreign_source *s, const char *at, const char *end, struct io_row *row)
{
	uint64_t time_s, sector, sectors, type, volume;
	int result;

	if (foreign_is_header(s, at, end))
		return FOREIGN_NOTHING;
	if (!field_number(&at, end, &time_s) || !field_separator(&at, end, ','))
		return foreign_bad_line(s, "no timestamp");
	if (time_s > FOREIGN_TIME_MAX_NS / NSEC_PER_SEC)
		return foreign_bad_line(s, "the time is out of range");
	if (!field_number(&at, end, &sector) || !field_separator(&at, end, ','))
		return foreign_bad_line(s, "no offset");
	if (!field_number(&at, end, &sectors) || !field_separator(&at, end, ','))
		return foreign_bad_line(s, "no size");
	if (!field_number(&at, end, &type) || type > 1 || !field_separator(&at, end, ','))
		return foreign_bad_line(s, "the type is neither 0 nor 1");
	if (!field_number(&at, end, &volume) || !field_end(&at, end))
		return foreign_bad_line(s, "no volume");
	if (!foreign_place_sectors(row, sector, sectors))
		return foreign_bad_line(s, "the address is out of range");
	result = foreign_finish_data(s, row, time_s * NSEC_PER_SEC, type);
	if (result == FOREIGN_ROW)
		row->device = foreign_numbered_device(s, DEVICE_PREFIX, volume);
	return result;
}

static bool print(struct foreign_output *o, const struct io_row *row)
{
	uint64_t time_ns = foreign_output__unix_ns(o, foreign_row_time_ns(row));

	if (!foreign_row_moves_sectors(row))
		return false;
	put_number(o, time_ns / NSEC_PER_SEC);
	put_char(o, ',');
	put_number(o, row->sector);
	put_char(o, ',');
	put_number(o, row->bytes / SECTOR_BYTES);
	put_text(o, row->op == IO_OP_READ ? ",0," : ",1,");
	put_number(o, foreign_output__device_number(o, row->device, DEVICE_PREFIX));
	put_char(o, '\n');
	return true;
}

const struct foreign_format format_tencent = {
	.name = "tencent",
	.title = "Tencent CBS 2018: time in s,sector,sectors,0|1,volume",
	.clock = FOREIGN_CLOCK_UNIX,
	.tick_ns = NSEC_PER_SEC,
	.line = line,
	.print = print,
};
