/* SPDX-License-Identifier: MIT */
/*
 * Tells whether a disk is still the one that had its number before: numbers and names of disks are
 * given again, and a loop device keeps its own when another file is attached.
 */
#ifndef BLKREEL_BASE_DISK_IDENTITY_H
#define BLKREEL_BASE_DISK_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

struct disk_identity {
	uint32_t major, minor;
	bool is_partition; /* the rest is of its disk */
	bool is_array;	   /* of md: its number changes without another disk */
	int fd;		   /* of its sequence number (since Linux 5.15); -1: there is none */
	uint64_t sequence; /* never given twice until the next boot */
	uint64_t folder;   /* inode of its folder in sysfs; 0: not known */
	uint64_t backing;  /* hash of the path of the file behind a loop device */
};

/* Remembers the disk major:minor, or the disk of that partition. disk_identity__release() closes what
 * is open. */
void disk_identity__take(struct disk_identity *disk, uint32_t major, uint32_t minor);
void disk_identity__release(struct disk_identity *disk);

/*
 * Whether the number still belongs to that disk. Also true if this cannot be told. Without sequence
 * numbers, the same file that is attached again counts as the same disk.
 */
bool disk_identity__holds(const struct disk_identity *disk);

#endif
