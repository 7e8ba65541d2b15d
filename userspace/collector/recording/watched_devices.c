// SPDX-License-Identifier: MIT
#include "collector/recording/watched_devices.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

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
	for (unsigned int i = 0; i < scope.device_count; i++)
		watched->devices[i].choice = scope.devices[i];
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
	if (!device)
		return false;
	device->present = true;
	/* When only a partition is recorded, the counters of its disk would not match. */
	return device->choice.part_major == major && device->choice.part_minor == minor;
}

int watched_devices__notice_vanished(struct watched_devices *watched)
{
	unsigned int gone = 0;

	for (unsigned int i = 0; i < watched->count; i++) {
		struct watched_device *device = &watched->devices[i];
		struct trace_device described;

		devices__describe(device->choice.major, device->choice.minor, &described);
		if (!device->gone && (!device->present || !described.size_bytes)) {
			device->gone = true;
			pr_warn("%s has disappeared: it is not recorded any more",
				device->choice.name);
		}
		device->present = false;
		gone += device->gone;
	}
	return watched->count && gone == watched->count ? -ENODEV : 0;
}
