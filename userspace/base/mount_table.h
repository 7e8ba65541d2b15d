/* SPDX-License-Identifier: MIT */
/* What is mounted, as a mountinfo file of the kernel says (proc(5)). */
#ifndef BLKREEL_BASE_MOUNT_TABLE_H
#define BLKREEL_BASE_MOUNT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define MOUNTINFO_SELF "/proc/self/mountinfo"

struct mount_entry {
	dev_t device; /* of the file system; major 0 where it has no device of its own, or several */
	const char *root;   /* what of the file system is mounted: "/" for all of it */
	const char *target; /* where */
	const char *type;
	const char *source;  /* a device or whatever the file system calls so; "none" */
	const char *options; /* those of the file system, with commas between */
};

struct mount_table {
	struct mount_entry *entries; /* in the order of mounting */
	size_t count;
};

/* Reads a file (MOUNTINFO_SELF). 0; -EBADMSG where it is no such file; or another negative errno.
 * The caller frees the table. */
int mount_table__read(const char *path, struct mount_table **table);
void mount_table__free(struct mount_table *table);

/* Whether one of the options is this word. */
bool mount_entry__has_option(const struct mount_entry *entry, const char *option);

#endif
