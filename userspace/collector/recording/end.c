// SPDX-License-Identifier: MIT
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "collector/recording/internal.h"

static bool is_idle(const struct recording *r, uint32_t device)
{
	for (unsigned int i = 0; i < r->idle_count; i++)
		if (r->idle[i] == device)
			return true;
	return false;
}

static int note_idle(struct io_event *event, void *context)
{
	struct recording *r = context;

	if (r->idle_count < WATCHED_DEVICES_MAX && !is_idle(r, event->device) &&
	    !devices__in_flight(event->device >> 20, event->device & 0xfffff))
		r->idle[r->idle_count++] = event->device;
	return 0;
}

/* A request that is left over is in flight, unless its device had no request in flight when the
 * probes no longer took new ones: then its end was not seen. */
static int append_left_over(struct io_event *event, void *context)
{
	struct recording *r = context;

	if (!is_idle(r, event->device)) {
		r->in_flight_at_end++;
		return 0;
	}
	event->flags |= IO_EVENT_NO_END;
	return recording_rows__append_event(event, r);
}

static int stop_probes(struct recording *r)
{
	uint64_t stop_ns;
	int err;

	err = recording_rows__sample(r, &stop_ns);
	r->stop_ns = stop_ns;
	probes__pause(r->probes);
	if (!err)
		err = probes__each_request(r->probes, note_idle, r);
	probes__detach(r->probes);
	return err;
}

int recording_end__finish(struct recording *r, struct trace_summary *summary)
{
	int err;

	err = r->error == -ENODEV ? 0 : r->error;
	if (!err)
		err = stop_probes(r);
	summary->stop_ns = r->error ? clock_ns(CLOCK_MONOTONIC) : r->stop_ns;
	summary->stop_wall_ns = clock_wall_ns(summary->stop_ns);
	if (!err)
		err = recording_rows__drain_until(r, UINT64_MAX);
	if (!err)
		err = probes__each_request(r->probes, append_left_over, r);
	r->in_flight_at_end += probes__bios_in_flight(r->probes);
	if (!err)
		err = recording_rows__flush(r, summary->stop_ns, WAITS_UNTIL_END);
	summary->in_flight_at_end = r->in_flight_at_end;
	summary->readahead_unknown_pages =
		probes__unread_pages(r->probes) * (uint64_t)sysconf(_SC_PAGESIZE) / PAGE_BYTES;
	summary->started_before = r->started_before;
	recording_rows__cache_size(r, summary);
	return err;
}
