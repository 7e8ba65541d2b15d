/* SPDX-License-Identifier: MIT */
/* The time of a row, and whether it lies in a part of a recording. */
#ifndef BLKREEL_TRACE_ROW_TIME_H
#define BLKREEL_TRACE_ROW_TIME_H

#include "trace/rows.h"

/* The first time seen of a request, by which it is ordered; 0: none. */
static inline uint64_t io_row_time_ns(const struct io_row *row)
{
	if (row->created_ns)
		return row->created_ns;
	if (row->inserted_ns)
		return row->inserted_ns;
	return row->issued_ns ? row->issued_ns : row->completed_ns;
}

/* The last time seen, which is about when the row was recorded. */
static inline uint64_t io_row_end_ns(const struct io_row *row)
{
	if (row->completed_ns)
		return row->completed_ns;
	if (row->issued_ns)
		return row->issued_ns;
	return row->inserted_ns ? row->inserted_ns : row->created_ns;
}

/* Rows of calls and tasks over an interval are at its end already. */
static inline uint64_t wait_row_end_ns(const struct wait_row *row)
{
	return row->what <= WAIT_CALL ? row->time_ns + row->duration_ns : row->time_ns;
}

/* The same for a row of any kind. A loss row is at its beginning. */
static inline uint64_t row_time_ns(enum row_kind kind, const void *row)
{
	switch (kind) {
	case ROW_IO:
		return io_row_time_ns(row);
	case ROW_CACHE:
		return ((const struct cache_row *)row)->time_ns;
	case ROW_TICK:
		return ((const struct tick_row *)row)->time_ns;
	case ROW_HIST:
		return ((const struct hist_row *)row)->time_ns;
	case ROW_LOSS: {
		const struct loss_row *loss = row;

		return loss->from_ns ? loss->from_ns : loss->to_ns;
	}
	case ROW_ACCESS:
		return ((const struct access_row *)row)->time_ns;
	case ROW_WAIT:
		return ((const struct wait_row *)row)->time_ns;
	case ROW_KIND_COUNT:
		break;
	}
	return 0;
}

static inline uint64_t row_end_ns(enum row_kind kind, const void *row)
{
	if (kind == ROW_IO)
		return io_row_end_ns(row);
	if (kind == ROW_LOSS && ((const struct loss_row *)row)->to_ns)
		return ((const struct loss_row *)row)->to_ns;
	if (kind == ROW_ACCESS)
		return ((const struct access_row *)row)->time_ns +
		       ((const struct access_row *)row)->duration_ns;
	if (kind == ROW_WAIT)
		return wait_row_end_ns(row);
	return row_time_ns(kind, row);
}

/* From `from_ns` to before `to_ns` after `start_ns`; UINT64_MAX as `to_ns`: to the end. */
struct time_window {
	uint64_t start_ns;
	uint64_t from_ns, to_ns;
};

static inline bool time_window_is_whole(const struct time_window *w)
{
	return !w->from_ns && w->to_ns == UINT64_MAX;
}

/* A request in flight when the recording started counts as created at the start. */
static inline uint64_t time_window_after_start_ns(const struct time_window *w, uint64_t time_ns)
{
	return time_ns < w->start_ns ? 0 : time_ns - w->start_ns;
}

/*
 * Whether the span from `first_ns` to `last_ns` overlaps the window. A span of 0 (not seen)
 * overlaps only the window of the whole recording.
 */
static inline bool time_window_has(const struct time_window *w, uint64_t first_ns, uint64_t last_ns)
{
	if (time_window_is_whole(w))
		return true;
	return last_ns && time_window_after_start_ns(w, last_ns) >= w->from_ns &&
	       time_window_after_start_ns(w, first_ns) < w->to_ns;
}

#endif
