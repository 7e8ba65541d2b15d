#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "collector/recording_internal.h"
#include "collector/translate.h"

int recording_rows__append_event(const struct io_event *event, void *recording)
{
	struct recording *r = recording;
	struct io_row row;

	/* What ended before the first or after the last look at the kernel's counters is not in
	 * them either. */
	if (event->completed_ns && event->completed_ns < r->active_ns)
		return 0;
	if (event->completed_ns > r->stop_ns) {
		r->in_flight_at_end += event->created_ns <= r->stop_ns;
		return 0;
	}
	translate__io(event, r->active_ns, &row);
	row.device = registry__device(r->registry, event->device);
	row.cgroup = registry__cgroup(r->registry, event->cgroup);
	if (event->pid || event->comm[0])
		row.task = registry__task(r->registry, event->pid, event->tgid,
					  event->flags & IO_EVENT_KTHREAD, event->comm);
	if (event->origin == ORIGIN_FILE || event->origin == ORIGIN_BLOCKDEV)
		row.file = registry__file(r->registry, event->fs_device, event->inode,
					  event->inode_mode);
	if (row.created_ns < r->part_from_ns)
		row.flags |= IO_STARTED_BEFORE;
	r->started_before += !!(row.flags & IO_STARTED_BEFORE);
	r->missed_events += !!(row.flags & IO_EVENT_MISSED);
	if (r->cache && row.op == IO_OP_WRITE && row.origin == IO_ORIGIN_FILE &&
	    cache_account__written_back(r->account, event))
		return -ENOMEM;
	if (r->flight)
		flight__row(r->flight, &row);
	return trace_writer__append_io(r->writer, &row);
}

static int on_record(void *context, void *data, size_t bytes)
{
	struct recording *r = context;
	const uint8_t *type = data;

	if (bytes == sizeof(struct file_event) && *type == EVENT_FILE) {
		registry__name_file(r->registry, data);
		return 0;
	}
	if (bytes != sizeof(struct io_event) || *type != EVENT_IO)
		return -EPROTO;
	if (io_order__add(r->order, data))
		return io_order__release(r->order, UINT64_MAX, recording_rows__append_event, r);
	return 0;
}

int recording_rows__drain_until(struct recording *r, uint64_t until_ns)
{
	int err = probes__drain(r->probes, 0, on_record, r);

	if (!err)
		err = io_order__release(r->order, until_ns, recording_rows__append_event, r);
	if (!err && r->flight && until_ns != UINT64_MAX)
		flight__advance(r->flight, until_ns);
	return err;
}

int recording_rows__drain(struct recording *r, int timeout_ms)
{
	int err = probes__drain(r->probes, timeout_ms, on_record, r);

	return err ? err : recording_rows__drain_until(r, clock_ns(CLOCK_MONOTONIC));
}

static bool tick_wanted(uint32_t major, uint32_t minor, void *context)
{
	struct recording *r = context;

	return watched_devices__has_counters(major, minor, &r->watched);
}

static int append_tick(uint32_t major, uint32_t minor, struct tick_row *tick, void *context)
{
	struct recording *r = context;

	/* A row comes when the counters have moved; before the file began it was idle. */
	if (tick->interval_ns > tick->time_ns - r->part_from_ns)
		tick->interval_ns = tick->time_ns - r->part_from_ns;
	tick->device = registry__device(r->registry, major << 20 | minor);
	return trace_writer__append_tick(r->writer, tick);
}

int recording_rows__sample(struct recording *r, uint64_t *now_ns)
{
	int err = diskstats__read(r->diskstats, now_ns);

	return err ? err : diskstats__sample(r->diskstats, *now_ns, tick_wanted, append_tick, r);
}

static int append_losses(struct recording *r, uint64_t now_ns)
{
	uint64_t losses[LOSS_CLASS_COUNT];
	int err = 0;

	probes__losses(r->probes, losses);
	losses[LOSS_IO_EVENT] = r->missed_events;
	for (unsigned int kind = 0; kind < LOSS_CLASS_COUNT && !err; kind++) {
		struct loss_row row = {
			.from_ns = r->last_tick_ns,
			.to_ns = now_ns,
			.count = losses[kind] - r->lost[kind],
			.class = kind,
		};

		if (!row.count)
			continue;
		err = trace_writer__append_loss(r->writer, &row);
		r->lost[kind] = losses[kind];
		r->part_lost += row.count;
	}
	return err;
}

/* The names of files that the account has are in the rings by then: they are drained between. */
static int append_account(struct recording *r, uint64_t now_ns)
{
	int err;

	err = cache_account__read(r->account, r->probes);
	if (!err)
		err = recording_rows__drain_until(r, now_ns);
	if (err)
		return err;
	return cache_account__write(r->account, r->registry, r->writer, now_ns,
				    now_ns - r->last_tick_ns);
}

int recording_rows__flush(struct recording *r, uint64_t now_ns)
{
	int err = 0;

	if (r->cache)
		err = append_account(r, now_ns);
	if (!err)
		err = append_losses(r, now_ns);
	if (!err)
		err = trace_writer__flush(r->writer);
	r->last_tick_ns = now_ns;
	return err;
}
