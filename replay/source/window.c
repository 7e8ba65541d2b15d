// SPDX-License-Identifier: MIT
#include "replay/source/window.h"

#include <errno.h>

#include "base/units.h"

static enum replay_op op_of(const struct io_row *row)
{
	if (io_row_is_flush(row))
		return REPLAY_FLUSH;
	switch (row->op) {
	case IO_OP_READ:
		return row->bytes ? REPLAY_READ : REPLAY_OTHER;
	case IO_OP_WRITE:
	case IO_OP_ZONE_APPEND:
		return row->bytes ? REPLAY_WRITE : REPLAY_OTHER;
	case IO_OP_DISCARD:
		return row->bytes ? REPLAY_DISCARD : REPLAY_OTHER;
	case IO_OP_WRITE_ZEROES:
		return row->bytes ? REPLAY_WRITE_ZEROES : REPLAY_OTHER;
	case IO_OP_SECURE_ERASE:
		return REPLAY_SECURE_ERASE;
	case IO_OP_ZONE_OPEN:
	case IO_OP_ZONE_CLOSE:
	case IO_OP_ZONE_FINISH:
	case IO_OP_ZONE_RESET:
	case IO_OP_ZONE_RESET_ALL:
		return REPLAY_ZONE;
	default:
		return REPLAY_OTHER;
	}
}

static enum replay_zone zone_of(const struct io_row *row)
{
	switch (row->op) {
	case IO_OP_ZONE_CLOSE:
		return REPLAY_ZONE_CLOSE;
	case IO_OP_ZONE_FINISH:
		return REPLAY_ZONE_FINISH;
	case IO_OP_ZONE_RESET:
		return REPLAY_ZONE_RESET;
	case IO_OP_ZONE_RESET_ALL:
		return REPLAY_ZONE_RESET_ALL;
	default:
		return REPLAY_ZONE_OPEN;
	}
}

int replay_io_from_row(const struct io_row *row, struct replay_io *io)
{
	uint64_t end_bytes;

	*io = (struct replay_io){.op = (uint8_t)op_of(row)};
	/* A flush has no address, and that of an op that no target can do does not matter. */
	if (io->op == REPLAY_FLUSH || io->op == REPLAY_OTHER)
		return 0;
	/* Its length is that of a zone of the target. */
	if (io->op == REPLAY_ZONE) {
		io->zone = (uint8_t)zone_of(row);
		return io->zone != REPLAY_ZONE_RESET_ALL &&
				       __builtin_mul_overflow(row->sector, SECTOR_BYTES,
							      &io->offset_bytes)
			       ? -ERANGE
			       : 0;
	}
	if (__builtin_mul_overflow(row->sector, SECTOR_BYTES, &io->offset_bytes) ||
	    __builtin_add_overflow(io->offset_bytes, row->bytes, &end_bytes) ||
	    end_bytes > INT64_MAX)
		return -ERANGE;
	io->length_bytes = row->bytes;
	if (replay_op_has_data(io->op))
		io->ioprio = row->ioprio;
	if (row->op == IO_OP_ZONE_APPEND)
		io->flags |= REPLAY_APPENDED;
	if (io->op == REPLAY_WRITE) {
		io->flags |= row->flags & IO_FUA ? REPLAY_FUA : 0;
		io->flags |= row->flags & IO_PREFLUSH ? REPLAY_PREFLUSH : 0;
		io->flags |= row->flags & IO_ATOMIC ? REPLAY_ATOMIC : 0;
		io->hint = io_hint_of_flags(row->flags);
		io->flags |= io->hint ? REPLAY_HINTED : 0;
	}
	return 0;
}
