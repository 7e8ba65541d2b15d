// SPDX-License-Identifier: MIT
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "collector/recording/internal.h"
#include "collector/rows/translate.h"

static uint32_t depth_of(struct recording *r, const struct io_event *event)
{
	if (event->flags & IO_EVENT_BIO)
		return (uint32_t)event->issue_number;
	return depth_meter__next(r->depth, event->device, event->issue_number, event->issued_ns,
				 event->completed_ns);
}

static void fill_names(struct recording *r, const struct io_event *event, struct io_row *row)
{
	const struct io_subject *subject = &event->subject;

	row->device = registry__device(r->registry, event->device);
	row->cgroup = registry__cgroup(r->registry, subject->cgroup);
	if (event->pid || event->comm[0])
		row->task = registry__task(r->registry, event->pid, event->tgid,
					   event->flags & IO_EVENT_KTHREAD, event->comm);
	if (subject->origin == ORIGIN_FILE || subject->origin == ORIGIN_BLOCKDEV)
		row->file =
			registry__file(r->registry, subject->fs_device, subject->inode,
				       subject->inode_mode, subject->version, row->completed_ns);
}

int recording_rows__append_event(const struct io_event *event, void *recording)
{
	struct recording *r = recording;
	uint32_t depth = depth_of(r, event);
	struct io_row row;

	/* The kernel's counters do not include IOs that ended before the first or after the last
	 * sample, either. */
	if (event->completed_ns && event->completed_ns < r->active_ns)
		return 0;
	if (watched_devices__is_another(&r->watched, event->device >> 20, event->device & 0xfffff,
					event->created_ns))
		return 0;
	if (event->completed_ns > r->stop_ns) {
		r->in_flight_at_end += event->created_ns <= r->stop_ns;
		return 0;
	}
	translate__io(event, r->active_ns, &row);
	row.depth = depth;
	bios__link_row(r->bios, event, &row);
	fill_names(r, event, &row);
	if (row.created_ns < r->part_from_ns)
		row.flags |= IO_STARTED_BEFORE;
	r->started_before += !!(row.flags & IO_STARTED_BEFORE);
	r->missed_events += !!(row.flags & IO_EVENT_MISSED);
	/* An IO with a parent was counted at the layer above. */
	if (r->cache && row.op == IO_OP_WRITE && row.origin == IO_ORIGIN_FILE && !row.parent_id &&
	    cache_account__written_back(r->account, r->registry, event))
		return -ENOMEM;
	if (r->flight)
		flight_recorder__row(r->flight, &row, event->device);
	if (r->kernel_count && kernel_count__add_row(r->kernel_count, &row, r->active_ns))
		return -ENOMEM;
	return trace_writer__append_io(r->writer, &row);
}

static int release_if_full(struct recording *r, bool is_full)
{
	if (is_full)
		return io_order__release(r->order, UINT64_MAX, recording_rows__append_event, r);
	return 0;
}

static int add_event(struct recording *r, const struct io_event *event)
{
	return release_if_full(r, io_order__add(r->order, event));
}

static int append_wait(const struct wait_event *event, void *recording)
{
	struct recording *r = recording;

	return r->waits ? wait_rows__add(r->waits, event, r->registry, r->writer, r->active_ns,
					 r->stop_ns)
			: 0;
}

static int on_request(void *context, const struct io_event *event)
{
	struct recording *r = context;

	if (event->type == RECORD_WAIT)
		return append_wait((const struct wait_event *)event, r);
	return release_if_full(r, io_order__add_lasting(r->order, event));
}

static int append_access(const struct access_event *event, void *recording)
{
	struct recording *r = recording;
	struct access_row row;

	if (event->time_ns + event->duration_ns < r->active_ns || event->time_ns > r->stop_ns)
		return 0;
	accesses__to_row(event, &row);
	row.task = registry__task(r->registry, event->pid, event->tgid,
				  event->flags & ACCESS_EVENT_KTHREAD, event->comm);
	row.file = registry__file(r->registry, event->device, event->inode, event->mode,
				  (uint8_t)event->version, event->time_ns + event->duration_ns);
	row.cgroup = registry__cgroup(r->registry, event->cgroup);
	r->access_rows++;
	if (access_row_is_cached(&row))
		cache_size__touched(r->cache_size, event->memory_cgroup,
				    row.hit_pages + row.miss_pages);
	return trace_writer__append_access(r->writer, &row);
}

static int add_access(struct recording *r, const struct access_event *event)
{
	int added = accesses__add(r->accesses, event);

	return added == 1 ? accesses__release(r->accesses, UINT64_MAX, append_access, r) : added;
}

static int on_record(void *context, void *data, size_t bytes)
{
	struct recording *r = context;
	const uint8_t *type = data;
	struct io_event event;
	int taken;

	if (bytes == sizeof(struct file_event) && *type == EVENT_FILE) {
		registry__name_file(r->registry, data);
		return 0;
	}
	if (bytes == sizeof(struct io_event) && *type == EVENT_IO)
		return add_event(r, data);
	if (bytes == sizeof(struct access_event) && *type == EVENT_ACCESS)
		return add_access(r, data);
	if (bytes == sizeof(struct wait_event) && *type == RECORD_WAIT)
		return held_waits__add(&r->held_waits, data);
	taken = bios__take(r->bios, data, bytes, &event);
	return taken == 1 ? add_event(r, &event) : taken;
}

static const struct probes_receiver receiver = {.record = on_record, .request = on_request};

static int release(struct recording *r, uint64_t until_ns)
{
	int err = io_order__release(r->order, until_ns, recording_rows__append_event, r);

	if (!err)
		err = held_waits__release(&r->held_waits, until_ns, append_wait, r);
	return err ? err : accesses__release(r->accesses, until_ns, append_access, r);
}

/* When very many records wait, for example after the process was stopped, they are not ordered all
 * at once. */
static int release_in_parts(struct recording *r, uint64_t until_ns)
{
	uint64_t drained_ns = probes__drained_ns(r->probes);
	int err = 0;

	while (!err && drained_ns != UINT64_MAX) {
		err = release(r, drained_ns < until_ns ? drained_ns : until_ns);
		if (err)
			return err;
		probes__release_requests(r->probes);
		err = probes__drain_more(r->probes, &receiver, r);
		drained_ns = probes__drained_ns(r->probes);
	}
	if (!err)
		err = release(r, until_ns);
	if (!err)
		probes__release_requests(r->probes);
	return err;
}

static int note_lost_numbers(uint32_t device, uint64_t count, void *context)
{
	struct recording *r = context;

	depth_meter__lost(r->depth, device, count, clock_ns(CLOCK_MONOTONIC));
	return 0;
}

/* Called after records were taken and before they become rows. The probe counts a drop in two
 * steps, and the read can come between them: so it is read once more after the last drop. */
static int note_drops(struct recording *r)
{
	uint64_t dropped = probes__dropped(r->probes);
	bool settled = dropped == r->dropped;

	if (settled && r->drops_settled)
		return 0;
	r->dropped = dropped;
	r->drops_settled = settled;
	return probes__each_lost(r->probes, note_lost_numbers, r);
}

int recording_rows__drain_until(struct recording *r, uint64_t until_ns)
{
	int err = probes__drain(r->probes, &receiver, r);

	if (!err)
		err = note_drops(r);
	if (!err)
		err = release_in_parts(r, until_ns);
	bios__age(r->bios);
	if (!err && r->flight && until_ns != UINT64_MAX)
		flight_recorder__advance(r->flight, until_ns);
	return err;
}

int recording_rows__drain(struct recording *r, int timeout_ms)
{
	int err = probes__wait(r->probes, timeout_ms);

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

	/* Rows appear only when the counters change: an interval that would begin before the file
	 * is cut. */
	if (tick->interval_ns > tick->time_ns - r->part_from_ns)
		tick->interval_ns = tick->time_ns - r->part_from_ns;
	tick->device = registry__device(r->registry, major << 20 | minor);
	if (r->kernel_count && kernel_count__add_tick(r->kernel_count, tick))
		return -ENOMEM;
	return trace_writer__append_tick(r->writer, tick);
}

int recording_rows__sample(struct recording *r, uint64_t *now_ns)
{
	int err = diskstats__read(r->diskstats, now_ns);

	if (r->cache)
		cache_size__update(r->cache_size);
	return err ? err : diskstats__sample(r->diskstats, *now_ns, tick_wanted, append_tick, r);
}

void recording_rows__cache_size(const struct recording *r, struct trace_summary *summary)
{
	const struct cache_room *room;

	if (!r->cache_size)
		return;
	room = cache_size__room(r->cache_size);
	summary->page_cache_bytes = room->cached_bytes;
	summary->page_cache_free_bytes = room->free_bytes;
	summary->page_cache_of_cgroup = room->group[0] != '\0';
	summary->page_cache_mglru = cache_size__mglru(r->cache_size);
}

/*
 * At the end: IOs of the whole recording that no probe saw. These have no row, and no other loss
 * explains them. Once a disk is detached another one can have its number, and its counters.
 */
static uint64_t unseen(const struct recording *r, const uint64_t losses[LOSS_CLASS_COUNT])
{
	uint64_t known = losses[LOSS_IO_RING] + losses[LOSS_IO_STATE] + losses[LOSS_RECURSION];
	uint64_t missing;

	if (!r->kernel_count || r->stop_ns == UINT64_MAX || r->watched.gone_count ||
	    r->replaced_disks)
		return 0;
	missing = kernel_count__missing(r->kernel_count);
	return missing > known ? missing - known : 0;
}

static int append_losses(struct recording *r, uint64_t now_ns)
{
	uint64_t losses[LOSS_CLASS_COUNT];
	int err = 0;

	probes__losses(r->probes, losses);
	losses[LOSS_IO_EVENT] = r->missed_events;
	losses[LOSS_RECURSION] += unseen(r, losses);
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

/* The rings hold the names of all files in the account, so they are drained between the two
 * steps. */
static int append_account(struct recording *r, uint64_t now_ns)
{
	int err;

	err = cache_account__read(r->account, r->probes);
	if (!err)
		err = recording_rows__drain_until(r, now_ns);
	if (err)
		return err;
	return cache_account__write(r->account, r->probes, r->registry, r->writer, now_ns,
				    now_ns - r->last_tick_ns);
}

int recording_rows__flush(struct recording *r, uint64_t now_ns, enum wait_rows_until until)
{
	int err = 0;

	if (r->cache)
		err = append_account(r, now_ns);
	if (!err && r->waits)
		err = wait_rows__write(r->waits, r->registry, r->writer, r->active_ns, now_ns,
				       until);
	if (!err)
		err = append_losses(r, now_ns);
	if (!err)
		err = trace_writer__flush(r->writer);
	r->last_tick_ns = now_ns;
	return err;
}
