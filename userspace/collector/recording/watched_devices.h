/* SPDX-License-Identifier: MIT */
/* The devices that a recording watches, and whether they still exist. */
#ifndef BLKREEL_COLLECTOR_RECORDING_WATCHED_DEVICES_H
#define BLKREEL_COLLECTOR_RECORDING_WATCHED_DEVICES_H

#include "collector/host/devices.h"
#include "collector/recording/scope.h"

#define WATCHED_DEVICES_MAX RECORDING_DEVICES_MAX

struct watched_device {
	struct device_choice choice;
	bool gone; /* already logged */
	bool present;
};

/* Begins as zeroes; count 0: all disks. */
struct watched_devices {
	struct watched_device devices[WATCHED_DEVICES_MAX];
	unsigned int count;
	unsigned int parts; /* enum probe_part: the parts to record */
};

/* Chooses the devices of `options`. 0 or negative errno; on error `message` may hold a sentence. */
int watched_devices__choose(struct watched_devices *watched,
			    const struct recording_options *options,
			    char message[COLLECTOR_MESSAGE_MAX]);
/* Whether the kernel's counters of a device cover what is watched; also notes that the device
 * exists. For diskstats__sample(). */
bool watched_devices__has_counters(uint32_t major, uint32_t minor, void *context);
/* Warns of devices that have disappeared; the others continue. 0; -ENODEV: all have disappeared. */
int watched_devices__notice_vanished(struct watched_devices *watched);

#endif
