/* What sysfs knows of disks. */
#ifndef BLKREEL_COLLECTOR_DEVICES_H
#define BLKREEL_COLLECTOR_DEVICES_H

#include "trace/rows.h"

/* A disk, or the part of one, that the user named. */
struct device_choice {
	uint32_t major, minor;		 /* of the whole disk */
	uint32_t part_major, part_minor; /* of what was named */
	uint64_t first_sector, end_sector;
	char name[TRACE_NAME_MAX]; /* of what was named */
};

/*
 * "loop0", "/dev/sda1", "/dev/disk/by-id/...": 0; -ENOENT: no such device; -ENOTBLK: not a block
 * device; -EOPNOTSUPP: handled without requests (zram, dm, md), which are not recorded yet.
 */
int devices__choose(const char *name, struct device_choice *choice);

/* Fills all but the id; what is not there (any more) stays empty. */
void devices__describe(uint32_t major, uint32_t minor, struct trace_device *device);

/* 0: there is no such device (any more), or nothing is attached to it. */
uint64_t devices__size_bytes(uint32_t major, uint32_t minor);

/* Does the kernel count what the device does (queue/iostats, on by default)? */
bool devices__accounted(uint32_t major, uint32_t minor);

/* Requests that the kernel says are in flight at this moment. */
uint64_t devices__in_flight(uint32_t major, uint32_t minor);

/* Calls `each` for a disk and its partitions. 0, -errno, or what `each` gave but 0. */
int devices__with_partitions(uint32_t major, uint32_t minor,
			     int (*each)(uint32_t major, uint32_t minor, void *context),
			     void *context);

#endif
