/* SPDX-License-Identifier: MIT */
/* The devices that a recording watches, and whether they still exist. */
#ifndef BLKREEL_COLLECTOR_RECORDING_WATCHED_DEVICES_H
#define BLKREEL_COLLECTOR_RECORDING_WATCHED_DEVICES_H

#include "base/disk_identity.h"
#include "collector/host/devices.h"
#include "collector/recording/scope.h"

#define WATCHED_DEVICES_MAX RECORDING_DEVICES_MAX

struct watched_device {
	struct device_choice choice;
	struct disk_identity disk;
	bool gone;	  /* already logged */
	uint64_t gone_ns; /* when that was noticed */
	bool present;
};

/* Begins as zeroes; count 0: all disks. */
struct watched_devices {
	struct watched_device devices[WATCHED_DEVICES_MAX];
	unsigned int count, gone_count;
	unsigned int parts; /* enum probe_part: the parts to record */
};

/* Chooses the devices of `options`. 0 or negative errno; on error `message` may hold a sentence. */
int watched_devices__choose(struct watched_devices *watched,
			    const struct recording_options *options,
			    char message[COLLECTOR_MESSAGE_MAX]);
/* Whether the kernel's counters of a device cover what is watched; also notes that the device
 * exists. For diskstats__sample(). */
bool watched_devices__has_counters(uint32_t major, uint32_t minor, void *context);
/*
 * Warns of devices that have become other disks since they were chosen; the others continue. Cheap.
 * 0; -ENODEV: none is left.
 */
int watched_devices__notice_replaced(struct watched_devices *watched);
/* Whether an IO that began at `time_ns` may be of a disk that took the number of a watched one. */
bool watched_devices__is_another(const struct watched_devices *watched, uint32_t major,
				 uint32_t minor, uint64_t time_ns);
/* Warns of devices that have disappeared; the others continue. 0; -ENODEV: none is left. */
int watched_devices__notice_vanished(struct watched_devices *watched);
void watched_devices__release(struct watched_devices *watched);

#endif
