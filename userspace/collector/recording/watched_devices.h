/* SPDX-License-Identifier: MIT */
/* The devices that a recording was asked to watch, and whether they are still there. */
#ifndef BLKREEL_COLLECTOR_RECORDING_WATCHED_DEVICES_H
#define BLKREEL_COLLECTOR_RECORDING_WATCHED_DEVICES_H

#include "collector/host/devices.h"
#include "collector/recording/scope.h"

#define WATCHED_DEVICES_MAX RECORDING_DEVICES_MAX

struct watched_device {
	struct device_choice choice;
	bool gone; /* said once */
	bool present;
};

/* Zeroed at first; none: every disk. */
struct watched_devices {
	struct watched_device devices[WATCHED_DEVICES_MAX];
	unsigned int count;
	unsigned int parts; /* enum probe_part: what there is to record of them */
};

/* 0 or negative errno, and `message` may hold a sentence. */
int watched_devices__choose(struct watched_devices *watched,
			    const struct recording_options *options,
			    char message[COLLECTOR_MESSAGE_MAX]);
/* Whether the kernel's counters of this device are those of what is watched; it is there then. For
 * diskstats__sample(). */
bool watched_devices__has_counters(uint32_t major, uint32_t minor, void *context);
/* A device can be taken away while it is recorded; the others go on. -ENODEV when all are gone. */
int watched_devices__notice_vanished(struct watched_devices *watched);

#endif
