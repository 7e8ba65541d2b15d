/* SPDX-License-Identifier: MIT */
/* The mounts that a mountinfo file of the kernel lists (proc(5)). */
#ifndef BLKREEL_BASE_MOUNT_TABLE_H
#define BLKREEL_BASE_MOUNT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define MOUNTINFO_SELF "/proc/self/mountinfo"

struct mount_entry {
	dev_t device; /* of the file system; major 0 where it has no device of its own, or several */
	const char *root;   /* the part of the file system that is mounted: "/" for all of it */
	const char *target; /* where */
	const char *type;
	const char *source;  /* a device, or another name such as "none" */
	const char *options; /* of the file system, separated by commas */
};

struct mount_table {
	struct mount_entry *entries; /* in the order of mounting */
	size_t count;
};

/* Reads a file (MOUNTINFO_SELF). 0; -EBADMSG if it is no mountinfo file; or another negative errno.
 * The caller frees the table. */
int mount_table__read(const char *path, struct mount_table **table);
void mount_table__free(struct mount_table *table);

/* Whether this is one of the options. */
bool mount_entry__has_option(const struct mount_entry *entry, const char *option);

#endif
