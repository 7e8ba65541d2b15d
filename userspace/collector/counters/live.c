// SPDX-License-Identifier: MIT
#include "collector/counters/live.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/disk_identity.h"
#include "base/units.h"
#include "collector/host/diskstats.h"
#include "collector/counters/live_cache.h"
#include "collector/recording/scope.h"

struct watched {
	int slot; /* slot of the counting probes; -1: none */
	bool partition, requests;
	bool ever;		   /* was there in an earlier sample */
	bool seen;		   /* in the current sample of the kernel's counters */
	struct disk_identity disk; /* while it is there */
};

struct live {
	struct live_device *devices;
	struct watched *watched; /* parallel to `devices` */
	unsigned int device_count, allocated;
	bool listed; /* only the named devices */
	bool only_these_disks;
	bool written_back;
	struct counting_probes *counting;
	int counting_err; /* why there are no counting probes */
	struct live_cache_account *cache;
	struct diskstats *diskstats;
	struct live_missing missing[LIVE_MISSING_MAX];
	unsigned int missing_count;
	uint64_t last_ns;
	struct live_lost lost; /* since the start, at the last sample */
	uint64_t now_ns;
};

static struct live_device *find_device(struct live *l, uint32_t major, uint32_t minor)
{
	for (unsigned int i = 0; i < l->device_count; i++)
		if (l->devices[i].major == major && l->devices[i].minor == minor)
			return &l->devices[i];
	return NULL;
}

static struct watched *beside(struct live *l, const struct live_device *device)
{
	return &l->watched[device - l->devices];
}

static struct live_device *add_device(struct live *l, uint32_t major, uint32_t minor)
{
	struct live_device *device;

	if (l->device_count == l->allocated) {
		unsigned int allocated = l->allocated ? 2 * l->allocated : 16;
		struct live_device *devices = realloc(l->devices, allocated * sizeof(*devices));
		struct watched *watched;

		if (devices)
			l->devices = devices;
		watched = devices ? realloc(l->watched, allocated * sizeof(*watched)) : NULL;
		if (!watched)
			return NULL;
		l->watched = watched;
		l->allocated = allocated;
	}
	device = &l->devices[l->device_count];
	memset(device, 0, sizeof(*device));
	l->watched[l->device_count] = (struct watched){.slot = -1, .disk.fd = -1};
	l->device_count++;
	device->major = major;
	device->minor = minor;
	return device;
}

static bool is_partition(uint32_t major, uint32_t minor)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/partition", major, minor);
	return access(path, F_OK) == 0;
}

/* It does not come back. */
static bool is_lost(const struct live *l, const struct live_device *device)
{
	return l->only_these_disks && device->named && !device->there &&
	       l->watched[device - l->devices].ever;
}

/* Called for every line of the kernel's counters. */
static bool wanted(uint32_t major, uint32_t minor, void *context)
{
	struct live *l = context;
	struct live_device *device = find_device(l, major, minor);

	if (!device) {
		if (l->listed || is_partition(major, minor))
			return false;
		device = add_device(l, major, minor);
		if (!device)
			return false;
	}
	beside(l, device)->seen = !is_lost(l, device);
	return beside(l, device)->seen;
}

static int take_tick(uint32_t major, uint32_t minor, struct tick_row *tick, void *context)
{
	struct live_device *device = find_device(context, major, minor);

	if (device) {
		device->kernel = *tick;
		device->moved = true;
	}
	return 0;
}

/* False: the probes follow too many already. */
static bool follow(struct live *l, const struct live_device *device)
{
	struct watched *watched = beside(l, device);

	if (!l->counting || watched->partition || !watched->requests || watched->slot >= 0)
		return true;
	watched->slot = counting_probes__follow(l->counting, device->major, device->minor);
	if (watched->slot >= 0)
		return true;
	watched->slot = -1;
	return false;
}

/* A disk that is new, or has a size again (a loop device keeps its name when its file is
 * detached). */
static void device_came(struct live *l, struct live_device *device, struct live_lost *lost)
{
	struct watched *watched = beside(l, device);
	struct trace_device known;
	char path[64];

	devices__describe(device->major, device->minor, &known);

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/mq", device->major, device->minor);
	snprintf(device->name, sizeof(device->name), "%s", known.name);
	device->there = true;
	device->change = LIVE_APPEARED;
	watched->partition = is_partition(device->major, device->minor);
	watched->requests = access(path, F_OK) == 0;
	disk_identity__take(&watched->disk, device->major, device->minor);
	lost->devices += !follow(l, device);
}

static void device_went(struct live *l, struct live_device *device)
{
	struct watched *watched = beside(l, device);

	device->there = false;
	device->change = LIVE_VANISHED;
	disk_identity__release(&watched->disk);
	if (watched->slot >= 0)
		counting_probes__unfollow(l->counting, watched->slot);
	watched->slot = -1;
}

static void device_changed(struct live *l, struct live_device *device, struct live_lost *lost)
{
	device_went(l, device);
	if (!l->only_these_disks || !device->named)
		device_came(l, device, lost);
	device->change = LIVE_REPLACED;
}

bool live__disks_hold(const struct live *l)
{
	for (unsigned int i = 0; i < l->device_count; i++)
		if (l->devices[i].named && l->devices[i].there &&
		    !disk_identity__holds(&l->watched[i].disk))
			return false;
	return true;
}

static int sample_device(struct live *l, struct live_device *device, struct live_lost *lost)
{
	struct watched *watched = beside(l, device);
	bool there = watched->seen && devices__size_bytes(device->major, device->minor);
	int err = 0;

	watched->seen = false;
	device->change = LIVE_SAME;
	device->accounted = devices__accounted(device->major, device->minor);
	device->probed = watched->slot >= 0;
	if (device->probed) {
		err = counting_probes__read(l->counting, watched->slot, &device->probes);
		lost->unreported += device->probes.drift;
		device->moved |= device->probes.in_flight || device->probes.busy_ns;
	}
	if (there && device->there && !disk_identity__holds(&watched->disk))
		device_changed(l, device, lost);
	else if (there && !device->there)
		device_came(l, device, lost);
	else if (!there && device->there)
		device_went(l, device);
	else if (there)
		follow(l, device); /* another that the probes followed may have gone */
	watched->ever |= device->there;
	return err;
}

static int take_counters(struct live *l)
{
	int err = diskstats__read(l->diskstats, &l->now_ns);

	if (err)
		return err;
	for (unsigned int i = 0; i < l->device_count; i++) {
		uint32_t in_flight = l->devices[i].kernel.in_flight;

		/* diskstats__sample() makes no call for a device without changes. */
		l->devices[i].kernel = (struct tick_row){.in_flight = in_flight};
		memset(&l->devices[i].probes, 0, sizeof(l->devices[i].probes));
		l->devices[i].moved = false;
	}
	return diskstats__sample(l->diskstats, l->now_ns, wanted, take_tick, l);
}

static void count_losses(struct live *l, struct live_sample *sample)
{
	struct live_lost lost = {0};

	if (l->counting)
		lost.probe_calls = counting_probes__lost(l->counting, &lost.end_calls);
	if (l->cache)
		lost.cache_pages = live_cache__lost_pages(l->cache, &lost.cache_calls);
	lost.probe_calls += lost.cache_calls;
	sample->lost.probe_calls = lost.probe_calls - l->lost.probe_calls;
	sample->lost.end_calls = lost.end_calls - l->lost.end_calls;
	sample->lost.cache_calls = lost.cache_calls - l->lost.cache_calls;
	sample->lost.cache_pages = lost.cache_pages - l->lost.cache_pages;
	l->lost = lost;
}

int live__sample(struct live *l, struct live_sample *sample)
{
	int err;

	memset(sample, 0, sizeof(*sample));
	err = take_counters(l);
	sample->time_ns = l->now_ns;
	sample->wall_ns = clock_ns(CLOCK_REALTIME);
	sample->interval_ns = sample->time_ns - l->last_ns;
	for (unsigned int i = 0; i < l->device_count && !err; i++)
		err = sample_device(l, &l->devices[i], &sample->lost);
	if (!err && l->cache)
		err = live_cache__read(l->cache, &sample->cache);
	if (l->counting && l->written_back) {
		sample->cache.has_written_back = true;
		for (unsigned int i = 0; i < l->device_count; i++)
			sample->cache.written_back_pages +=
				l->devices[i].probes.op[TALLY_WRITE].written_back_pages *
				((uint64_t)sysconf(_SC_PAGESIZE) / PAGE_BYTES);
	}
	count_losses(l, sample);
	sample->devices = l->devices;
	sample->device_count = l->device_count;
	l->last_ns = sample->time_ns;
	return err;
}

static void add_missing(struct live *l, const char *figures, const char *why)
{
	struct live_missing *missing = &l->missing[l->missing_count];

	if (l->missing_count == LIVE_MISSING_MAX)
		return;
	missing->figures = figures;
	snprintf(missing->why, sizeof(missing->why), "%s", why);
	l->missing_count++;
}

static int name_devices(struct live *l, const struct live_options *options,
			struct device_choice *choices, char message[COLLECTOR_MESSAGE_MAX])
{
	for (unsigned int i = 0; i < options->device_count; i++) {
		struct device_choice *choice = &choices[i];
		int err = recording_scope__device(options->devices[i], choice, message);
		struct live_device *device;

		if (err)
			return err;
		if (find_device(l, choice->part_major, choice->part_minor))
			continue;
		device = add_device(l, choice->part_major, choice->part_minor);
		if (!device)
			return -ENOMEM;
		device->named = true;
		snprintf(device->name, sizeof(device->name), "%s", choice->name);
	}
	l->listed = options->device_count;
	return 0;
}

/* The probes are optional: without them the kernel's counters remain. */
static int start_probes(struct live *l, const struct live_options *options,
			const struct device_choice *choices)
{
	char message[COLLECTOR_MESSAGE_MAX] = "";
	struct counting_options counting = {.disks = l->device_count,
					    .more = !l->listed,
					    .cgroups = options->cgroups,
					    .written_back = options->cache || options->written_back,
					    .sizes = options->sizes};
	int err;

	l->written_back = counting.written_back;
	l->only_these_disks = options->only_these_disks;
	err = counting_probes__create(&counting, &l->counting, message);
	l->counting_err = err;
	if (err == -ENOMEM && !*message)
		return err;
	if (err)
		add_missing(l, "exact busy time, depth and latency histograms", message);
	if (!options->cache)
		return 0;
	message[0] = '\0';
	err = live_cache__create(choices, options->device_count, options->cache_table, &l->cache,
				 message);
	if (err == -ENOMEM && !*message)
		return err;
	if (err)
		add_missing(l, "the page cache", message);
	else
		live_cache__missing(&l->missing_count, l->missing);
	return 0;
}

/* The default is 1. */
static void note_unaccounted(struct live *l)
{
	for (unsigned int i = 0; i < l->device_count; i++) {
		const struct live_device *device = &l->devices[i];
		char why[128];

		if (!device->there || device->accounted)
			continue;
		snprintf(
			why, sizeof(why),
			"its counters are switched off for %s: echo 1 >/sys/block/%s/queue/iostats",
			device->name, device->name);
		add_missing(l, "the kernel's own figures", why);
	}
}

int live__create(const struct live_options *options, struct live **live,
		 char message[COLLECTOR_MESSAGE_MAX])
{
	struct live *l = calloc(1, sizeof(*l));
	struct device_choice *choices = calloc(options->device_count + 1, sizeof(*choices));
	struct live_sample first;
	int err = l && choices ? 0 : -ENOMEM;

	message[0] = '\0';
	if (!err)
		err = diskstats__create(&l->diskstats);
	if (!err)
		err = name_devices(l, options, choices, message);
	/* Finds the disks first: the probes reserve memory for each of them. */
	if (!err)
		err = take_counters(l);
	if (!err)
		err = start_probes(l, options, choices);
	if (!err)
		err = live__sample(l, &first);
	if (!err)
		note_unaccounted(l);
	if (err && !message[0])
		snprintf(message, COLLECTOR_MESSAGE_MAX, "cannot read the counters: %s",
			 strerror(-err));
	free(choices);
	if (err)
		live__free(l);
	else
		*live = l;
	return err;
}

void live__free(struct live *l)
{
	if (!l)
		return;
	counting_probes__free(l->counting);
	live_cache__free(l->cache);
	diskstats__free(l->diskstats);
	for (unsigned int i = 0; i < l->device_count; i++)
		disk_identity__release(&l->watched[i].disk);
	free(l->devices);
	free(l->watched);
	free(l);
}

const struct live_missing *live__missing(const struct live *l, unsigned int *count)
{
	*count = l->missing_count;
	return l->missing;
}

int live__probes_error(const struct live *l)
{
	return l->counting ? 0 : l->counting_err;
}

int live__is_readable(const struct live *l)
{
	return l->counting ? counting_probes__is_readable(l->counting) : 0;
}

enum counting_quality live__quality(const struct live *l)
{
	return counting_probes__quality(l->counting);
}

struct counting_probes *live__counting(struct live *l)
{
	return l->counting;
}
