// SPDX-License-Identifier: MIT
/*
 * DiskSim's ASCII traces, which MQSim reads, too: time device block blocks flags. DiskSim counts
 * milliseconds, MQSim (in the traces that come with it) nanoseconds. Bit 0 of the flags is a read.
 */
#include "exchange/foreign.h"

#define DEVICE_PREFIX "disk"
#define MS_DIGITS     6
#define FLAG_READ     1u

/* DiskSim writes the flags in hexadecimal. */
static bool parse_flags(struct text word, uint64_t *flags)
{
	*flags = 0;
	for (size_t i = 0; i < word.bytes; i++) {
		int digit = field_hex_digit(word.at[i]);

		if (digit < 0 || i >= 8)
			return false;
		*flags = 16 * *flags + (uint64_t)digit;
	}
	return word.bytes > 0;
}

static int parse_line(struct foreign_source *s, const char *at, const char *end, uint64_t unit_ns,
		      struct io_row *row)
{
	uint64_t time_ns, device, sector, sectors, flags;
	int result;

	field_blanks(&at, end);
	if (at == end || *at == '#')
		return FOREIGN_NOTHING;
	if (!field_decimal_ns(&at, end, unit_ns, &time_ns) || !field_gap(&at, end))
		return foreign_bad_line(s, "no time");
	if (!field_number(&at, end, &device) || !field_gap(&at, end))
		return foreign_bad_line(s, "no device");
	if (!field_number(&at, end, &sector) || !field_gap(&at, end))
		return foreign_bad_line(s, "no block");
	if (!field_number(&at, end, &sectors) || !field_gap(&at, end))
		return foreign_bad_line(s, "no number of blocks");
	if (!parse_flags(field_word(&at, end), &flags))
		return foreign_bad_line(s, "no flags");
	if (!foreign_place_sectors(row, sector, sectors))
		return foreign_bad_line(s, "the address is out of range");
	result = foreign_finish_data(s, row, time_ns, !(flags & FLAG_READ));
	if (result == FOREIGN_ROW)
		row->device = foreign_numbered_device(s, DEVICE_PREFIX, device);
	return result;
}

static int line_ms(struct foreign_source *s, const char *at, const char *end, struct io_row *row)
{
	return parse_line(s, at, end, NSEC_PER_MSEC, row);
}

static int line_ns(struct foreign_source *s, const char *at, const char *end, struct io_row *row)
{
	return parse_line(s, at, end, 1, row);
}

static bool print_row(struct foreign_output *o, const struct io_row *row, uint64_t unit_ns,
		      unsigned int digits)
{
	if (!foreign_row_moves_sectors(row))
		return false;
	put_decimal(o, foreign_output__since_start_ns(o, foreign_row_time_ns(row)), unit_ns,
		    digits);
	put_char(o, ' ');
	put_number(o, foreign_output__device_number(o, row->device, DEVICE_PREFIX));
	put_char(o, ' ');
	put_number(o, row->sector);
	put_char(o, ' ');
	put_number(o, row->bytes / SECTOR_BYTES);
	put_text(o, row->op == IO_OP_READ ? " 1\n" : " 0\n");
	return true;
}

static bool print_ms(struct foreign_output *o, const struct io_row *row)
{
	return print_row(o, row, NSEC_PER_MSEC, MS_DIGITS);
}

static bool print_ns(struct foreign_output *o, const struct io_row *row)
{
	return print_row(o, row, 1, 0);
}

const struct foreign_format format_disksim = {
	.name = "disksim",
	.title = "DiskSim ASCII: ms device block blocks flags",
	.clock = FOREIGN_CLOCK_START,
	.tick_ns = 1,
	.line = line_ms,
	.print = print_ms,
};

const struct foreign_format format_mqsim = {
	.name = "mqsim",
	.title = "MQSim ASCII: ns device block blocks 0|1",
	.clock = FOREIGN_CLOCK_START,
	.tick_ns = 1,
	.line = line_ns,
	.print = print_ns,
};
