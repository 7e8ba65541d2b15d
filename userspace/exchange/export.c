// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ioprio.h"
#include "exchange/export.h"
#include "exchange/time_order.h"

struct export
{
	const struct foreign_format *format;
	struct foreign_output *out;
	struct time_order *order;
	uint64_t start_ns, written_until_ns;
	bool has_device;
	struct export_result result;
};

static void export__free(struct export *e)
{
	if (!e)
		return;
	foreign_output__free(e->out);
	time_order__free(e->order);
	free(e);
}

static struct export *export__new(const struct foreign_format *format, FILE *out,
				  const struct trace_reader *reader, uint64_t start_ns,
				  uint64_t start_wall_ns)
{
	struct export *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->format = format;
	e->start_ns = start_ns;
	e->out = foreign_output__new(out);
	e->order = time_order__new();
	if (!e->out || !e->order) {
		export__free(e);
		return NULL;
	}
	foreign_output__set_trace(e->out, reader, start_ns, start_wall_ns);
	if (format->print_head)
		format->print_head(e->out);
	return e;
}

/* Records without a device are read back as one device: rows of other devices are left out. */
static bool is_of_other_device(struct export *e, const struct io_row *row)
{
	const char *name = foreign_output__device_name(e->out, row->device);

	if (!e->has_device)
		snprintf(e->result.device, sizeof(e->result.device), "%s", name);
	e->has_device = true;
	return strcmp(name, e->result.device);
}

/* An import would take larger values for damage: they are not written. */
static bool is_plausible(const struct io_row *row)
{
	return row->sector <= FOREIGN_SECTOR_MAX && row->bytes <= FOREIGN_BYTES_MAX &&
	       foreign_row_time_ns(row) <= FOREIGN_TIME_MAX_NS;
}

static void write_row(struct export *e, const struct io_row *row)
{
	uint64_t time_ns = foreign_row_time_ns(row);

	if (e->format->one_device && is_of_other_device(e, row)) {
		e->result.other_devices++;
		return;
	}
	if (!is_plausible(row) || !e->format->print(e->out, row)) {
		if (io_row_is_flush_request(row))
			e->result.flush_requests_left_out++;
		else
			e->result.left_out[row->op]++;
		return;
	}
	e->result.records++;
	e->result.unsorted += time_ns < e->written_until_ns;
	if (time_ns > e->written_until_ns)
		e->written_until_ns = time_ns;
	/* What was in flight when recording began is meant to begin with it. */
	e->result.clamped += time_ns < e->start_ns && !(row->flags & IO_STARTED_BEFORE) &&
			     e->format->clock != FOREIGN_CLOCK_UNIX;
	e->result.without_flags +=
		!e->format->holds_events && row->bytes && (row->flags & (IO_FUA | IO_PREFLUSH));
	/* No format holds priorities or write hints. */
	e->result.without_priority += ioprio_effective(row->ioprio) != ioprio_effective(0);
	e->result.without_hint += io_hint_of_flags(row->flags) != 0;
}

static void write_sorted(struct export *e, bool all)
{
	const struct io_row *row;

	while ((all || time_order__full(e->order)) && (row = time_order__pop(e->order)))
		write_row(e, row);
}

/* Rows that are no requests are ignored, unless the format holds_events. */
static void export__row(struct export *e, const struct io_row *row)
{
	if (!io_row_is_request(row) && !e->format->holds_events) {
		e->result.kernel_flushes++;
		return;
	}
	write_sorted(e, false);
	time_order__push(e->order, row, io_row_turn(row));
}

/* Writes the remaining rows. 0 or -EIO. */
static int export__end(struct export *e, struct export_result *result)
{
	write_sorted(e, true);
	if (e->format->print_end)
		e->format->print_end(e->out);
	*result = e->result;
	result->events_left_out = foreign_output__events_left_out(e->out);
	return foreign_output__flush(e->out);
}

int export_stream(FILE *out, struct trace_stream *stream, const struct foreign_format *format,
		  struct export_result *result)
{
	struct trace_stream_row row;
	struct export *e =
		export__new(format, out, trace_stream__reader(stream, 0),
			    trace_stream__start_ns(stream), trace_stream__start_wall_ns(stream));
	int failed, more;

	if (!e)
		return -ENOMEM;
	while ((more = trace_stream__next(stream, &row)) == 1 && !ferror(out))
		export__row(e, row.io);
	failed = export__end(e, result);
	export__free(e);
	return more < 0 ? more : failed;
}
