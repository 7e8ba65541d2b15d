/* SPDX-License-Identifier: MIT */
/* What sysfs tells about disks. */
#ifndef BLKREEL_COLLECTOR_HOST_DEVICES_H
#define BLKREEL_COLLECTOR_HOST_DEVICES_H

#include "trace/rows.h"

/* A disk or a partition that the user named. */
struct device_choice {
	uint32_t major, minor;		 /* the whole disk */
	uint32_t part_major, part_minor; /* the named device */
	uint64_t first_sector, end_sector;
	bool bio_based;		   /* has no requests */
	char name[TRACE_NAME_MAX]; /* name of the named device */
};

/*
 * Looks up a device by "loop0", "/dev/sda1", "/dev/disk/by-id/...". 0; -ENOENT: no such device;
 * -ENOTBLK: not a block device.
 */
int devices__choose(const char *name, struct device_choice *choice);

/* Calls `each` for every disk. 0, negative errno, or the first result of `each` that is not 0. */
int devices__each_disk(int (*each)(const struct device_choice *disk, void *context), void *context);

/* Calls `each` for the disks directly below a stacked disk, whole disks for partitions. Returns as
 * devices__each_disk(). */
int devices__each_below(uint32_t major, uint32_t minor,
			int (*each)(const struct device_choice *disk, void *context),
			void *context);

/* The same for the disks directly above a disk or partition (dm, md); a loop device on a file is not
 * known as one. */
int devices__each_above(uint32_t major, uint32_t minor,
			int (*each)(const struct device_choice *disk, void *context),
			void *context);

/* Whether a bio-based disk can send bios on to others; a disk that stores its data in memory
 * cannot. */
bool devices__sends_on(const struct device_choice *disk);

/* Fills all fields but the id. Attributes that do not exist (any more) stay empty. */
void devices__describe(uint32_t major, uint32_t minor, struct trace_device *device);

/* The size; 0: no such device (any more), or nothing is attached to it. */
uint64_t devices__size_bytes(uint32_t major, uint32_t minor);

/* The sequence number of a whole disk, which another disk never has until the next boot; 0: there is
 * none (before Linux 5.15, or no such disk). */
uint64_t devices__sequence(uint32_t major, uint32_t minor);

/* Whether the kernel counts the device's IO (queue/iostats, on by default). */
bool devices__accounted(uint32_t major, uint32_t minor);

/* Whether IOs of any of these disks can be polled (queue/io_poll). `count` 0: all disks. */
bool devices__polled(const struct device_choice *disks, unsigned int count);

/* Requests in flight at this moment, by the kernel's count. */
uint64_t devices__in_flight(uint32_t major, uint32_t minor);

/* The number of hardware queues of a disk and the largest number of requests that one of them
 * holds; 0 and 0 for a disk without requests. */
void devices__queues(uint32_t major, uint32_t minor, uint32_t *queues, uint32_t *queue_requests);

/* Calls `each` for a disk and its partitions. Returns as devices__each_disk(). */
int devices__with_partitions(uint32_t major, uint32_t minor,
			     int (*each)(uint32_t major, uint32_t minor, void *context),
			     void *context);

#endif
