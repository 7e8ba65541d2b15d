// SPDX-License-Identifier: MIT
/*
 * CloudPhysics vscsi traces, little-endian records with the version in each of them:
 *   version 1, 32 bytes: u32 number, u32 bytes, u32 segments, u16 command, u16 version, u64 sector,
 *   u64 us; version 2, 40 bytes: u16 command, u16 version, u32 number, u32 bytes, u32 segments,
 *   u64 sector, u64 us, u64 response in us.
 */
#include <errno.h>

#include "base/bytes.h"
#include "exchange/foreign.h"
#include "exchange/formats/scsi.h"

#define V1_BYTES 32u
#define V2_BYTES 40u
/* Records that must agree to recognise a file without a magic number. */
#define AGREEING_MIN 4u

struct record {
	unsigned int version;
	uint16_t command;
	uint32_t bytes;
	uint64_t sector, time_us, response_us; /* response 0: not known */
};

struct state {
	unsigned int version;
	uint32_t number; /* of the last record written */
};

static struct record decode(const uint8_t *at, unsigned int version)
{
	if (version == 1)
		return (struct record){
			.version = get_le16(at + 14) >> 8,
			.command = get_le16(at + 12),
			.bytes = get_le32(at + 4),
			.sector = get_le64(at + 16),
			.time_us = get_le64(at + 24),
		};
	return (struct record){
		.version = get_le16(at + 2) >> 8,
		.command = get_le16(at),
		.bytes = get_le32(at + 8),
		.sector = get_le64(at + 16),
		.time_us = get_le64(at + 24),
		.response_us = get_le64(at + 32),
	};
}

static unsigned int record_bytes(unsigned int version)
{
	return version == 1 ? V1_BYTES : V2_BYTES;
}

/* The count of whole records of this version at the start of the head. */
static size_t agreeing(const uint8_t *head, size_t bytes, unsigned int version)
{
	size_t at = 0, count = 0;

	for (; bytes - at >= record_bytes(version); at += record_bytes(version), count++) {
		struct record r = decode(head + at, version);

		if (r.version != version || r.command > UINT8_MAX || r.sector > FOREIGN_SECTOR_MAX)
			break;
	}
	return count;
}

static bool recognise(const char *head, size_t bytes)
{
	for (unsigned int version = 1; version <= 2; version++) {
		size_t records = agreeing((const uint8_t *)head, bytes, version);

		if (records >= AGREEING_MIN && records == bytes / record_bytes(version))
			return true;
	}
	return false;
}

static int begin(struct foreign_source *s, const char **message)
{
	struct state *state = s->state;
	size_t bytes, first, second;
	const uint8_t *head = byte_source__peek(s->files[0], &bytes);

	first = head ? agreeing(head, bytes, 1) : 0;
	second = head ? agreeing(head, bytes, 2) : 0;
	if (!first && !second) {
		*message = "the first record is neither of version 1 nor of version 2";
		return -EINVAL;
	}
	state->version = first > second ? 1 : 2;
	return 0;
}

static int parse(struct foreign_source *s, const uint8_t *at, struct io_row *row)
{
	const struct state *state = s->state;
	struct record r = decode(at, state->version);
	int op = scsi_op(r.command);

	if (r.version != state->version)
		return foreign_bad(s, s->files[0], "the record has another version");
	if (op < 0)
		return foreign_leave_out(s, LEFT_OUT_NOT_IO);
	if (r.sector > FOREIGN_SECTOR_MAX || r.time_us > FOREIGN_TIME_MAX_NS / NSEC_PER_USEC)
		return foreign_bad(s, s->files[0], "the address or the time is out of range");
	if (op == IO_OP_FLUSH)
		r.sector = r.bytes = 0;
	else if (!r.bytes)
		return foreign_leave_out(s, LEFT_OUT_NO_DATA);
	row->op = (uint8_t)op;
	foreign_place(row, r.sector * SECTOR_BYTES, r.bytes);
	row->created_ns = foreign_time(r.time_us * NSEC_PER_USEC);
	if (state->version == 2)
		foreign_respond(s, row,
				r.response_us > UINT64_MAX / NSEC_PER_USEC
					? UINT64_MAX
					: r.response_us * NSEC_PER_USEC);
	row->device = foreign_default_device(s);
	return FOREIGN_ROW;
}

static int next(struct foreign_source *s, struct io_row *row)
{
	const struct state *state = s->state;

	return foreign_next_fixed(s, record_bytes(state->version), parse, row);
}

/* The shortest command that can hold the row; 0: none. */
static uint16_t command_of(const struct io_row *row)
{
	bool is_long = row->sector > UINT32_MAX || row->bytes / SECTOR_BYTES > UINT16_MAX;

	if (row->bytes > UINT32_MAX)
		return 0;
	if (io_row_is_flush(row))
		return 0x35;
	if (row->op == IO_OP_READ && row->bytes)
		return is_long ? 0x88 : 0x28;
	if (row->op == IO_OP_WRITE && row->bytes)
		return is_long ? 0x8a : 0x2a;
	return 0;
}

static bool print(struct foreign_output *o, const struct io_row *row)
{
	struct state *state = foreign_output__state(o, sizeof(*state));
	uint64_t time_ns = foreign_output__since_start_ns(o, foreign_row_time_ns(row));
	uint16_t command = command_of(row);
	uint8_t record[V2_BYTES] = {0};

	if (!state || !command)
		return false;
	put_le16(record, command);
	put_le16(record + 2, 2 << 8);
	put_le32(record + 4, state->number++);
	put_le32(record + 8, io_row_is_flush(row) ? 0 : (uint32_t)row->bytes);
	put_le64(record + 16, io_row_is_flush(row) ? 0 : row->sector);
	put_le64(record + 24, time_ns / NSEC_PER_USEC);
	put_le64(record + 32, foreign_row_latency_ns(row) / NSEC_PER_USEC);
	put_bytes(o, record, sizeof(record));
	return true;
}

const struct foreign_format format_vscsi = {
	.name = "vscsi",
	.title = "CloudPhysics vscsi, version 1 and 2 (written as version 2)",
	.clock = FOREIGN_CLOCK_ANY,
	.tick_ns = NSEC_PER_USEC,
	.binary = true,
	.one_device = true,
	.state_bytes = sizeof(struct state),
	.recognise = recognise,
	.begin = begin,
	.next = next,
	.print = print,
};
