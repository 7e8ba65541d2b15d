// SPDX-License-Identifier: MIT
/*
 * libCacheSim's oracleGeneral: 24 bytes per record, little-endian and packed: u32 seconds, u64
 * object, u32 size, i64 next use. In block traces the object is the first sector. The format has no
 * magic number, operation or device.
 */
#include <errno.h>

#include "base/bytes.h"
#include "exchange/foreign.h"

#define RECORD_BYTES 24

static int begin(struct foreign_source *s, const char **message)
{
	foreign_note(s, "the format holds neither operation nor device: all IOs became reads "
			"of one device, objects became sectors");
	return 0;
}

static int parse(struct foreign_source *s, const uint8_t *at, struct io_row *row)
{
	uint32_t bytes = get_le32(at + 12);
	uint64_t sector = get_le64(at + 4);

	if (sector > FOREIGN_SECTOR_MAX || !foreign_place(row, sector * SECTOR_BYTES, bytes))
		return foreign_bad(s, s->files[0], "the object is out of range");
	if (!bytes)
		return foreign_leave_out(s, LEFT_OUT_NO_DATA);
	row->created_ns = foreign_time(get_le32(at) * NSEC_PER_SEC);
	row->op = IO_OP_READ;
	row->device = foreign_default_device(s);
	return FOREIGN_ROW;
}

static int next(struct foreign_source *s, struct io_row *row)
{
	return foreign_next_fixed(s, RECORD_BYTES, parse, row);
}

const struct foreign_format format_oracle_general = {
	.name = "oracle-general",
	.title = "libCacheSim oracleGeneral, 24-byte records: time, object, size",
	.clock = FOREIGN_CLOCK_ANY,
	.tick_ns = NSEC_PER_SEC,
	.binary = true,
	.one_device = true,
	.begin = begin,
	.next = next,
};
