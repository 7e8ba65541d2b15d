// SPDX-License-Identifier: MIT
#include "unit/shared/test.h"

#include <errno.h>

#include "replay/source/window.h"

static void rows_become_ios_of_the_same_operation(void)
{
	struct io_row row = {.op = IO_OP_WRITE, .flags = IO_PREFLUSH};
	struct replay_io io;

	CHECK_EQ(replay_io_from_row(&row, &io), 0);
	CHECK_EQ(io.op, REPLAY_FLUSH);
	row.bytes = 4096;
	row.sector = 8;
	row.flags = IO_PREFLUSH | IO_FUA | IO_SYNC;
	CHECK_EQ(replay_io_from_row(&row, &io), 0);
	CHECK_EQ(io.op, REPLAY_WRITE);
	CHECK_EQ(io.flags, REPLAY_PREFLUSH | REPLAY_FUA);
	CHECK_EQ(io.offset_bytes, 4096);
	row.op = IO_OP_ZONE_APPEND;
	CHECK_EQ(replay_io_from_row(&row, &io), 0);
	CHECK_EQ(io.op, REPLAY_WRITE);
	CHECK_EQ(io.flags, REPLAY_APPENDED | REPLAY_PREFLUSH | REPLAY_FUA);
	CHECK_EQ(io.offset_bytes, 4096);
	row.op = IO_OP_ZONE_FINISH;
	CHECK_EQ(replay_io_from_row(&row, &io), 0);
	CHECK_EQ(io.op, REPLAY_ZONE);
	CHECK_EQ(io.zone, REPLAY_ZONE_FINISH);
	CHECK_EQ(io.offset_bytes, 4096);
	row.op = IO_OP_READ;
	row.sector = UINT64_MAX / 512 + 1;
	CHECK_EQ(replay_io_from_row(&row, &io), -ERANGE);
	row.sector = 1;
	row.bytes = UINT64_MAX;
	CHECK_EQ(replay_io_from_row(&row, &io), -ERANGE);
	row.op = 200;
	CHECK_EQ(replay_io_from_row(&row, &io), 0);
	CHECK_EQ(io.op, REPLAY_OTHER);
}

int main(void)
{
	RUN(rows_become_ios_of_the_same_operation);
	return TEST_RESULT;
}
