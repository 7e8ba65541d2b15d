// SPDX-License-Identifier: MIT
#include "collector/recording/watched_devices.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "collector/recording/scope.h"

int watched_devices__choose(struct watched_devices *watched,
			    const struct recording_options *options,
			    char message[COLLECTOR_MESSAGE_MAX])
{
	struct recording_scope scope;
	int err = recording_scope__choose(options, &scope, message);

	if (err)
		return err;
	for (unsigned int i = 0; i < scope.device_count; i++) {
		watched->devices[i].choice = scope.devices[i];
		disk_identity__take(&watched->devices[i].disk, scope.devices[i].major,
				    scope.devices[i].minor);
	}
	watched->count = scope.device_count;
	watched->parts = scope.parts;
	return 0;
}

static struct watched_device *find(struct watched_devices *watched, uint32_t major, uint32_t minor)
{
	for (unsigned int i = 0; i < watched->count; i++)
		if (watched->devices[i].choice.major == major &&
		    watched->devices[i].choice.minor == minor)
			return &watched->devices[i];
	return NULL;
}

bool watched_devices__has_counters(uint32_t major, uint32_t minor, void *context)
{
	struct watched_devices *watched = context;
	struct watched_device *device;
	char name[48];

	if (!watched->count) {
		/* The counters of the disk include those of its partitions. */
		snprintf(name, sizeof(name), "/sys/dev/block/%u:%u/partition", major, minor);
		return access(name, F_OK) != 0;
	}
	device = find(watched, major, minor);
	if (!device || device->gone)
		return false;
	device->present = true;
	/* When only a partition is recorded, the counters of its disk would not match. */
	return device->choice.part_major == major && device->choice.part_minor == minor;
}

static int all_gone(const struct watched_devices *watched)
{
	return watched->count && watched->gone_count == watched->count ? -ENODEV : 0;
}

/* A number can come back with another disk before anyone looks. */
static bool is_replaced(const struct watched_device *device, const struct trace_device *now)
{
	return now->size_bytes && !disk_identity__holds(&device->disk);
}

static void let_go(struct watched_devices *watched, struct watched_device *device)
{
	struct trace_device now;

	devices__describe(device->choice.major, device->choice.minor, &now);
	device->gone = true;
	device->gone_ns = clock_ns(CLOCK_MONOTONIC);
	watched->gone_count++;
	pr_warn("%s %s: it is not recorded any more", device->choice.name,
		is_replaced(device, &now) ? "is another disk now" : "has disappeared");
}

int watched_devices__notice_replaced(struct watched_devices *watched)
{
	for (unsigned int i = 0; i < watched->count; i++)
		if (!watched->devices[i].gone && !disk_identity__holds(&watched->devices[i].disk))
			let_go(watched, &watched->devices[i]);
	return all_gone(watched);
}

int watched_devices__notice_vanished(struct watched_devices *watched)
{
	for (unsigned int i = 0; i < watched->count; i++) {
		struct watched_device *device = &watched->devices[i];

		if (!device->gone &&
		    (!device->present ||
		     !devices__size_bytes(device->choice.major, device->choice.minor)))
			let_go(watched, device);
		device->present = false;
	}
	return all_gone(watched);
}

bool watched_devices__is_another(const struct watched_devices *watched, uint32_t major,
				 uint32_t minor, uint64_t time_ns)
{
	for (unsigned int i = 0; i < watched->count && watched->gone_count; i++) {
		const struct watched_device *device = &watched->devices[i];

		if (device->gone && device->choice.major == major && device->choice.minor == minor)
			return time_ns > device->gone_ns;
	}
	return false;
}

void watched_devices__release(struct watched_devices *watched)
{
	for (unsigned int i = 0; i < watched->count; i++)
		disk_identity__release(&watched->devices[i].disk);
}
