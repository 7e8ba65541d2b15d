// SPDX-License-Identifier: MIT
#include "collector/activity/activity.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "collector/counters/live_cache.h"
#include "collector/host/diskstats.h"
#include "collector/kernel/capabilities.h"
#include "collector/kernel/numbering.h"
#include "collector/privileges/privileges.h"
#include "collector/probes/probes.h"
#include "collector/recording/watched_devices.h"
#include "collector/rows/bios.h"
#include "collector/rows/cache_account.h"
#include "collector/rows/io_order.h"
#include "collector/rows/translate.h"

struct activity {
	struct watched_devices watched;
	struct probes *probes;
	struct registry *registry;
	struct io_order *order;
	struct bios *bios;
	struct cache_account *account;
	struct diskstats *diskstats;
	struct parties parties; /* of the interval that runs */
	uint64_t start_ns;	/* of the first interval */
	uint64_t from_ns;	/* of the interval */
	uint64_t missed_events;
	uint64_t lost[LOSS_CLASS_COUNT]; /* until the end of the last interval */
	bool cache;
	bool has_reads, has_misses, has_page_waits;
	struct live_missing missing[LIVE_MISSING_MAX];
	unsigned int missing_count;
};

static void fill_ids(struct activity *a, const struct io_event *event, struct io_row *row)
{
	const struct io_subject *subject = &event->subject;

	row->device = registry__device(a->registry, event->device);
	row->cgroup = registry__cgroup(a->registry, subject->cgroup);
	if (event->pid || event->comm[0])
		row->task = registry__task(a->registry, event->pid, event->tgid,
					   event->flags & IO_EVENT_KTHREAD, event->comm);
	if (subject->origin == ORIGIN_FILE || subject->origin == ORIGIN_BLOCKDEV)
		row->file =
			registry__file(a->registry, subject->fs_device, subject->inode,
				       subject->inode_mode, subject->version, row->completed_ns);
}

static int add_event(const struct io_event *event, void *context)
{
	struct activity *a = context;
	struct io_row row;

	/* The kernel's counters were read at the start. */
	if (event->completed_ns && event->completed_ns < a->start_ns)
		return 0;
	if (watched_devices__is_another(&a->watched, event->device >> 20, event->device & 0xfffff,
					event->created_ns))
		return 0;
	translate__io(event, a->start_ns, &row);
	bios__link_row(a->bios, event, &row);
	fill_ids(a, event, &row);
	a->missed_events += !!(row.flags & IO_EVENT_MISSED);
	parties__add_io(&a->parties, &row);
	return 0;
}

static int keep(struct activity *a, const struct io_event *event)
{
	int full = io_order__add(a->order, event);

	return full == 1 ? io_order__release(a->order, UINT64_MAX, add_event, a) : full;
}

static int on_request(void *context, const struct io_event *event)
{
	return keep(context, event);
}

static int on_record(void *context, void *data, size_t bytes)
{
	struct activity *a = context;
	const uint8_t *type = data;
	struct io_event event;
	int taken;

	if (bytes == sizeof(struct file_event) && *type == EVENT_FILE) {
		registry__name_file(a->registry, data);
		return 0;
	}
	if (bytes == sizeof(struct io_event) && *type == EVENT_IO)
		return keep(a, data);
	taken = bios__take(a->bios, data, bytes, &event);
	return taken == 1 ? keep(a, &event) : taken;
}

static const struct probes_receiver receiver = {.record = on_record, .request = on_request};

/* Of very many records, takes a part at a time. */
static int drain_until(struct activity *a, uint64_t until_ns)
{
	int err = probes__drain(a->probes, &receiver, a);
	uint64_t drained_ns = probes__drained_ns(a->probes);

	while (!err && drained_ns != UINT64_MAX) {
		err = io_order__release(a->order, drained_ns < until_ns ? drained_ns : until_ns,
					add_event, a);
		probes__release_requests(a->probes);
		if (!err)
			err = probes__drain_more(a->probes, &receiver, a);
		drained_ns = probes__drained_ns(a->probes);
	}
	if (!err)
		err = io_order__release(a->order, until_ns, add_event, a);
	probes__release_requests(a->probes);
	bios__age(a->bios);
	registry__forget_files(a->registry);
	return err;
}

int activity__drain(struct activity *a)
{
	int err = drain_until(a, clock_ns(CLOCK_MONOTONIC));

	return err ? err : watched_devices__notice_replaced(&a->watched);
}

static int load(struct activity *a, const struct activity_options *options, bool cache,
		char message[COLLECTOR_MESSAGE_MAX])
{
	const struct recording_options what = {
		.devices = options->devices,
		.device_count = options->device_count,
		.cache = cache,
	};
	struct device_choice choices[WATCHED_DEVICES_MAX];
	struct probes_options probes = {.devices = choices};
	int err = watched_devices__choose(&a->watched, &what, message);

	for (unsigned int i = 0; i < a->watched.count; i++)
		choices[i] = a->watched.devices[i].choice;
	probes.device_count = a->watched.count;
	probes.parts = a->watched.parts;
	if (!err)
		err = probes__load(&probes, &a->probes, message);
	if (!err)
		err = probes__attach(a->probes, message);
	if (!err)
		return 0;
	probes__free(a->probes);
	a->probes = NULL;
	watched_devices__release(&a->watched);
	memset(&a->watched, 0, sizeof(a->watched));
	return err;
}

static void lacks_cache(struct activity *a, const char *why)
{
	struct live_missing *missing = &a->missing[a->missing_count++];

	missing->figures = "the page cache";
	snprintf(missing->why, sizeof(missing->why), "%s", why);
}

static void has_cache(struct activity *a)
{
	a->cache = true;
	a->has_reads = capabilities__can_tell("cache_reads", PROBE_CACHE, NULL);
	a->has_misses = capabilities__can_tell("cache_demand_misses", PROBE_CACHE, NULL);
	a->has_page_waits = capabilities__can_tell("cache_waits", PROBE_CACHE, NULL);
	live_cache__missing(&a->missing_count, a->missing);
}

/* The page cache is optional. */
static int load_probes(struct activity *a, const struct activity_options *options,
		       char message[COLLECTOR_MESSAGE_MAX])
{
	int err = load(a, options, options->cache, message);

	if (!options->cache)
		lacks_cache(a, "--no-cache leaves it out");
	else if (!err)
		has_cache(a);
	if (!err || !options->cache || err == -EPERM || err == -ENODEV || err == -ENOMEM)
		return err;
	lacks_cache(a, message);
	message[0] = '\0';
	return load(a, options, false, message);
}

static bool counters_wanted(uint32_t major, uint32_t minor, void *context)
{
	struct activity *a = context;

	return watched_devices__has_counters(major, minor, &a->watched);
}

static int add_tick(uint32_t major, uint32_t minor, struct tick_row *tick, void *context)
{
	struct activity *a = context;

	tick->device = registry__device(a->registry, major << 20 | minor);
	parties__add_tick(&a->parties, tick);
	return 0;
}

static int add_cache(const struct cache_row *row, void *context)
{
	parties__add_cache(context, row);
	return 0;
}

static void take_losses(struct activity *a, uint64_t lost[LOSS_CLASS_COUNT])
{
	uint64_t now[LOSS_CLASS_COUNT];

	probes__losses(a->probes, now);
	now[LOSS_IO_EVENT] = a->missed_events;
	for (unsigned int i = 0; i < LOSS_CLASS_COUNT; i++) {
		lost[i] = now[i] - a->lost[i];
		a->lost[i] = now[i];
	}
}

static void note_counted(struct activity *a)
{
	for (uint32_t i = 0; i < a->parties.device_count; i++) {
		struct party_device *device = &a->parties.devices[i];
		uint32_t major = device->device.major, minor = device->device.minor;

		device->is_counted = watched_devices__has_counters(major, minor, &a->watched) &&
				     devices__accounted(major, minor);
	}
}

/* The counters are read once more, and their changes are those of the interval. */
static int end_interval(struct activity *a, struct activity_sample *sample)
{
	int err = diskstats__read(a->diskstats, &sample->time_ns);

	sample->wall_ns = clock_ns(CLOCK_REALTIME);
	if (!err && a->cache)
		err = cache_account__read(a->account, a->probes);
	if (!err)
		err = drain_until(a, sample->time_ns);
	if (!err && a->cache)
		err = cache_account__each(a->account, a->registry, sample->time_ns,
					  sample->time_ns - a->from_ns, add_cache, &a->parties);
	if (!err && a->cache)
		err = cache_account__forget_idle(a->account, a->probes, a->registry,
						 sample->time_ns, sample->time_ns - a->from_ns,
						 add_cache, &a->parties);
	if (!err)
		err = diskstats__sample(a->diskstats, sample->time_ns, counters_wanted, add_tick,
					a);
	note_counted(a);
	return err;
}

int activity__sample(struct activity *a, struct activity_sample *sample)
{
	struct row_tables tables = parties__tables(&a->parties);
	int err;

	memset(sample, 0, sizeof(*sample));
	err = end_interval(a, sample);
	if (err)
		return err;
	take_losses(a, sample->lost);
	sample->has_cache = a->cache;
	sample->has_reads = a->has_reads;
	sample->has_misses = a->has_misses;
	sample->has_page_waits = a->has_page_waits;
	sample->interval_ns = sample->time_ns - a->from_ns;
	sample->parties = a->parties;
	memset(&a->parties, 0, sizeof(a->parties));
	registry__begin_trace(a->registry, &tables);
	a->from_ns = sample->time_ns;
	return watched_devices__notice_vanished(&a->watched);
}

/* No record of a time before the first reading of the counters is taken. */
static int begin(struct activity *a)
{
	int err;

	probes__resume(a->probes);
	err = diskstats__read(a->diskstats, &a->start_ns);
	a->from_ns = a->start_ns;
	return err ? err
		   : diskstats__sample(a->diskstats, a->start_ns, counters_wanted, add_tick, a);
}

int activity__create(const struct activity_options *options, struct activity **activity,
		     char message[COLLECTOR_MESSAGE_MAX])
{
	struct activity *a = calloc(1, sizeof(*a));
	struct row_tables tables;
	uint64_t kept;
	int err;

	message[0] = '\0';
	if (!a)
		return -ENOMEM;
	tables = parties__tables(&a->parties);
	err = load_probes(a, options, message);
	if (!err)
		err = privileges__drop(0, probes__are_readable, a->probes, &kept);
	if (!err)
		err = registry__create(&tables, &a->registry);
	if (!err)
		err = io_order__create(&a->order);
	if (!err)
		err = bios__create(a->watched.parts & PROBE_LINKS, &a->bios);
	if (!err)
		err = cache_account__create(&a->account);
	if (!err)
		err = diskstats__create(&a->diskstats);
	if (!err)
		err = begin(a);
	if (!err) {
		*activity = a;
		return 0;
	}
	if (!message[0])
		snprintf(message, COLLECTOR_MESSAGE_MAX, "cannot watch: %s", strerror(-err));
	activity__free(a);
	return err;
}

void activity__free(struct activity *a)
{
	if (!a)
		return;
	probes__free(a->probes);
	registry__free(a->registry);
	io_order__free(a->order);
	bios__free(a->bios);
	cache_account__free(a->account);
	diskstats__free(a->diskstats);
	parties__release(&a->parties);
	watched_devices__release(&a->watched);
	free(a);
}

const struct live_missing *activity__missing(const struct activity *a, unsigned int *count)
{
	*count = a->missing_count;
	return a->missing;
}
