// SPDX-License-Identifier: MIT
#include "collector/rows/translate.h"

#include <stdbool.h>
#include <stddef.h>

#include "collector/kernel/numbering.h"

static uint32_t translate_flags(const struct io_event *event)
{
	static const uint32_t recorder_flags[][2] = {
		{IO_EVENT_FLUSH_MACHINERY, IO_FLUSH_MACHINERY},
		{IO_EVENT_REQUEUED, IO_REQUEUED},
		{IO_EVENT_MERGES_CUT, IO_MERGES_CUT},
	};
	uint32_t flags = numbering__flags(event->cmd_flags);

	for (size_t i = 0; i < sizeof(recorder_flags) / sizeof(recorder_flags[0]); i++)
		if (event->flags & recorder_flags[i][0])
			flags |= recorder_flags[i][1];
	return flags | io_flags_of_hint(event->write_hint);
}

static uint8_t translate_origin(const struct io_event *event, const struct io_row *row)
{
	if (row->flags & IO_SWAP)
		return IO_ORIGIN_SWAP;
	if (!row->bytes || row->op == IO_OP_DISCARD || row->op == IO_OP_WRITE_ZEROES)
		return IO_ORIGIN_NONE;
	/* It has data and its end was not seen, so nobody examined its memory. */
	return event->subject.origin == ORIGIN_NONE ? IO_ORIGIN_UNKNOWN : event->subject.origin;
}

/* A request without data can only ask for a flush. On kernels that do not report the creation of
 * requests, the kernel has cleared the flag before the first event. */
static bool only_asks_for_flush(const struct io_row *row)
{
	return row->op == IO_OP_WRITE && !row->bytes;
}

/* Whether a probe of this request's life was skipped. A request that fails early, or only asks for
 * a flush, is never issued; that is no loss. */
static bool event_missed(const struct io_event *event, const struct io_row *row)
{
	if (event->flags & IO_EVENT_NO_END)
		return true;
	if (event->flags & IO_EVENT_LEAN)
		return !event->created_ns;
	if (event->flags & IO_EVENT_NO_START)
		return !(row->flags & IO_STARTED_BEFORE) &&
		       (numbering__announces_requests() || !only_asks_for_flush(row));
	return !row->issued_ns && row->bytes && !row->error && !(row->flags & IO_STARTED_BEFORE);
}

void translate__io(const struct io_event *event, uint64_t start_ns, struct io_row *row)
{
	*row = (struct io_row){
		.created_ns = event->created_ns,
		.inserted_ns = event->inserted_ns,
		.issued_ns = event->issued_ns,
		.completed_ns = event->completed_ns,
		.sector = event->sector == UINT64_MAX ? 0 : event->sector,
		.bytes = event->bytes,
		.merges = event->merges,
		.cpu = event->cpu,
		.ioprio = event->ioprio,
		.op = numbering__op(event->cmd_flags),
		.flags = translate_flags(event),
		.error = numbering__error(event->status, event->flags & IO_EVENT_BIO),
	};
	if (only_asks_for_flush(row))
		row->flags |= IO_PREFLUSH;
	row->origin = translate_origin(event, row);
	if (row->issued_ns < row->created_ns)
		row->issued_ns = 0;
	if (!row->created_ns || row->created_ns < start_ns)
		row->flags |= IO_STARTED_BEFORE;
	if (event_missed(event, row))
		row->flags |= IO_EVENT_MISSED;
}
