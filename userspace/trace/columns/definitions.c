// SPDX-License-Identifier: MIT
#include <stddef.h>

#include "trace/columns/definitions.h"

#define FIELD(type, field) .offset = offsetof(type, field), .bytes = sizeof(((type *)0)->field)
#define VALUE(number, type, field)                                   \
	{                                                            \
		.id = number, .role = ROLE_VALUE, FIELD(type, field) \
	}
#define TIME(number, type, field)                                   \
	{                                                           \
		.id = number, .role = ROLE_TIME, FIELD(type, field) \
	}
#define BELOW(number, type, field, max)                                            \
	{                                                                          \
		.id = number, .role = ROLE_VALUE, FIELD(type, field), .limit = max \
	}
#define SINCE(number, type, field, from, otherwise)                    \
	{                                                              \
		.id = number, .role = ROLE_SINCE, FIELD(type, field),  \
		.since = offsetof(type, from), .else_since = otherwise \
	}

#define IO(number, field)    VALUE(number, struct io_row, field)
#define CACHE(number, field) VALUE(number, struct cache_row, field)
#define TICK(number, field)  VALUE(number, struct tick_row, field)

/* Decoded in this order: each column comes after the columns that predict it. */
static const struct column_definition io_columns[] = {
	TIME(1, struct io_row, created_ns),
	SINCE(17, struct io_row, inserted_ns, created_ns, COLUMN_NONE),
	SINCE(2, struct io_row, issued_ns, created_ns, COLUMN_NONE),
	SINCE(3, struct io_row, completed_ns, issued_ns, offsetof(struct io_row, created_ns)),
	IO(5, bytes),
	IO(6, device),
	IO(7, task),
	IO(8, cgroup),
	IO(9, file),
	IO(10, flags),
	IO(11, merges),
	IO(12, depth),
	{.id = 13, .role = ROLE_ERROR, FIELD(struct io_row, error)},
	IO(14, cpu),
	BELOW(15, struct io_row, op, IO_OP_COUNT),
	BELOW(16, struct io_row, origin, IO_ORIGIN_COUNT),
	IO(18, id),
	IO(19, parent_id),
	IO(20, ioprio),
	{.id = 4, .role = ROLE_SECTOR, FIELD(struct io_row, sector)},
};

static const struct column_definition cache_columns[] = {
	TIME(1, struct cache_row, time_ns),
	CACHE(2, interval_ns),
	CACHE(3, cgroup),
	CACHE(4, file),
	CACHE(5, task),
	CACHE(6, reads),
	CACHE(7, read_pages),
	CACHE(8, demand_miss_pages),
	CACHE(9, fault_pages),
	CACHE(10, readahead_added_pages),
	CACHE(11, readahead_used_pages),
	CACHE(12, readahead_wasted_pages),
	CACHE(13, readahead_untracked_pages),
	CACHE(14, write_added_pages),
	CACHE(15, other_added_pages),
	CACHE(16, dirtied_pages),
	CACHE(17, written_back_pages),
	CACHE(18, deleted_pages),
	CACHE(19, waits),
	CACHE(20, wait_ns),
	CACHE(21, written_pages),
	CACHE(22, overwritten_pages),
	CACHE(23, evicted_pages),
	CACHE(24, direct_reads),
	CACHE(25, direct_read_bytes),
	CACHE(26, direct_writes),
	CACHE(27, direct_write_bytes),
	CACHE(28, throttles),
	CACHE(29, throttle_ns),
};

static const struct column_definition tick_columns[] = {
	TIME(1, struct tick_row, time_ns),
	TICK(2, interval_ns),
	TICK(3, device),
	TICK(4, in_flight),
	TICK(5, ios[TICK_READ]),
	TICK(6, ios[TICK_WRITE]),
	TICK(7, ios[TICK_DISCARD]),
	TICK(8, ios[TICK_FLUSH]),
	TICK(9, merges[TICK_READ]),
	TICK(10, merges[TICK_WRITE]),
	TICK(11, merges[TICK_DISCARD]),
	TICK(12, merges[TICK_FLUSH]),
	TICK(13, sectors[TICK_READ]),
	TICK(14, sectors[TICK_WRITE]),
	TICK(15, sectors[TICK_DISCARD]),
	TICK(16, sectors[TICK_FLUSH]),
	TICK(17, ticks_ms[TICK_READ]),
	TICK(18, ticks_ms[TICK_WRITE]),
	TICK(19, ticks_ms[TICK_DISCARD]),
	TICK(20, ticks_ms[TICK_FLUSH]),
	TICK(21, io_ticks_ms),
	TICK(22, in_queue_ms),
	TICK(23, busy_ns),
	TICK(24, depth_ns),
	TICK(25, depth_max),
	TICK(26, measured),
	TICK(27, snapshot_ns),
};

static const struct column_definition hist_columns[] = {
	TIME(1, struct hist_row, time_ns),
	VALUE(2, struct hist_row, interval_ns),
	VALUE(3, struct hist_row, device),
	BELOW(4, struct hist_row, op, IO_OP_COUNT),
	BELOW(5, struct hist_row, figure, HIST_FIGURE_COUNT),
	VALUE(6, struct hist_row, low),
	VALUE(7, struct hist_row, high),
	VALUE(8, struct hist_row, count),
};

#define ACCESS(number, field) VALUE(number, struct access_row, field)

static const struct column_definition access_columns[] = {
	TIME(1, struct access_row, time_ns),
	ACCESS(2, duration_ns),
	ACCESS(3, task),
	ACCESS(4, cgroup),
	ACCESS(5, file),
	ACCESS(6, offset),
	ACCESS(7, bytes),
	BELOW(8, struct access_row, op, ACCESS_OP_COUNT),
	ACCESS(9, flags),
	ACCESS(10, hit_pages),
	ACCESS(11, miss_pages),
	ACCESS(12, readahead_pages),
	ACCESS(13, waits),
	ACCESS(14, wait_ns),
};

#define WAIT(number, field) VALUE(number, struct wait_row, field)

static const struct column_definition wait_columns[] = {
	TIME(1, struct wait_row, time_ns),
	WAIT(2, duration_ns),
	WAIT(3, run_queue_ns),
	WAIT(4, cpu_ns),
	WAIT(5, sleep_ns),
	SINCE(6, struct wait_row, call_ns, time_ns, COLUMN_NONE),
	WAIT(7, count),
	WAIT(8, low),
	WAIT(9, high),
	WAIT(10, task),
	WAIT(11, file),
	WAIT(12, waker),
	WAIT(13, stack),
	WAIT(14, flags),
	BELOW(15, struct wait_row, what, WAIT_WHAT_COUNT),
	BELOW(16, struct wait_row, call, WAIT_CALL_COUNT),
};

static const struct column_definition loss_columns[] = {
	TIME(1, struct loss_row, from_ns),
	SINCE(2, struct loss_row, to_ns, from_ns, COLUMN_NONE),
	VALUE(3, struct loss_row, count),
	BELOW(4, struct loss_row, class, LOSS_CLASS_COUNT),
};

#define TABLE(columns, type)                                                  \
	{                                                                     \
		columns, sizeof(columns) / sizeof((columns)[0]), sizeof(type) \
	}

_Static_assert(sizeof(tick_columns) / sizeof(tick_columns[0]) <= COLUMNS_MAX,
	       "the table with the most columns");

static const struct column_table tables[] = {
	[ROW_IO] = TABLE(io_columns, struct io_row),
	[ROW_CACHE] = TABLE(cache_columns, struct cache_row),
	[ROW_TICK] = TABLE(tick_columns, struct tick_row),
	[ROW_LOSS] = TABLE(loss_columns, struct loss_row),
	[ROW_HIST] = TABLE(hist_columns, struct hist_row),
	[ROW_ACCESS] = TABLE(access_columns, struct access_row),
	[ROW_WAIT] = TABLE(wait_columns, struct wait_row),
};

const struct column_table *column_table(enum row_kind kind)
{
	return &tables[kind];
}
