/* SPDX-License-Identifier: MIT */
/* What sysfs knows of disks. */
#ifndef BLKREEL_COLLECTOR_HOST_DEVICES_H
#define BLKREEL_COLLECTOR_HOST_DEVICES_H

#include "trace/rows.h"

/* A disk, or the part of one, that the user named. */
struct device_choice {
	uint32_t major, minor;		 /* of the whole disk */
	uint32_t part_major, part_minor; /* of what was named */
	uint64_t first_sector, end_sector;
	bool bio_based;		   /* works without requests */
	char name[TRACE_NAME_MAX]; /* of what was named */
};

/*
 * "loop0", "/dev/sda1", "/dev/disk/by-id/...": 0; -ENOENT: no such device; -ENOTBLK: not a block
 * device.
 */
int devices__choose(const char *name, struct device_choice *choice);

/* Calls `each` for every disk. 0, -errno, or what `each` gave but 0. */
int devices__each_disk(int (*each)(const struct device_choice *disk, void *context), void *context);

/* Calls `each` for the disks right below a stacked one, whole disks for partitions. As above. */
int devices__each_below(uint32_t major, uint32_t minor,
			int (*each)(const struct device_choice *disk, void *context),
			void *context);

/* Whether a bio-based disk can send bios on to others: not if it keeps all in memory. */
bool devices__sends_on(const struct device_choice *disk);

/* Fills all but the id; what is not there (any more) stays empty. */
void devices__describe(uint32_t major, uint32_t minor, struct trace_device *device);

/* 0: there is no such device (any more), or nothing is attached to it. */
uint64_t devices__size_bytes(uint32_t major, uint32_t minor);

/* Does the kernel count what the device does (queue/iostats, on by default)? */
bool devices__accounted(uint32_t major, uint32_t minor);

/* Can IOs of one of these be polled for (queue/io_poll)? `count` 0: of any disk. */
bool devices__polled(const struct device_choice *disks, unsigned int count);

/* Requests that the kernel says are in flight at this moment. */
uint64_t devices__in_flight(uint32_t major, uint32_t minor);

/* Hardware queues of a disk, and the largest number of requests that one of them holds; 0 and 0 of a
 * disk that works without requests. */
void devices__queues(uint32_t major, uint32_t minor, uint32_t *queues, uint32_t *queue_requests);

/* Calls `each` for a disk and its partitions. 0, -errno, or what `each` gave but 0. */
int devices__with_partitions(uint32_t major, uint32_t minor,
			     int (*each)(uint32_t major, uint32_t minor, void *context),
			     void *context);

#endif
