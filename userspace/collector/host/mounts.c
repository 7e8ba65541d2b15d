// SPDX-License-Identifier: MIT
#include "collector/host/mounts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

#include "base/mount_table.h"

struct mounts {
	struct mount_table *table; /* NULL: not read yet, or not readable */
	time_t read_s;
};

int mounts__create(struct mounts **mounts)
{
	*mounts = calloc(1, sizeof(**mounts));
	return *mounts ? 0 : -ENOMEM;
}

void mounts__free(struct mounts *mounts)
{
	if (!mounts)
		return;
	mount_table__free(mounts->table);
	free(mounts);
}

/* A file system on several devices (btrfs) has its own device number, and its mount source is one
 * of the devices. */
static bool is_on_device(const struct mount_entry *entry, dev_t device)
{
	struct stat st;

	if (major(entry->device) || entry->source[0] != '/')
		return entry->device == device;
	return !stat(entry->source, &st) && S_ISBLK(st.st_mode) && st.st_rdev == device;
}

/* The last mount of the whole file system hides earlier ones. */
static const char *find_point(struct mounts *mounts, dev_t device)
{
	for (size_t i = mounts->table ? mounts->table->count : 0; i > 0; i--) {
		const struct mount_entry *entry = &mounts->table->entries[i - 1];

		if (!strcmp(entry->root, "/") && is_on_device(entry, device))
			return entry->target;
	}
	return "";
}

const char *mounts__point(struct mounts *mounts, uint32_t major_number, uint32_t minor_number)
{
	dev_t device = makedev(major_number, minor_number);
	const char *point = find_point(mounts, device);
	time_t now_s = time(NULL);

	if (*point || mounts->read_s == now_s)
		return point;
	mount_table__free(mounts->table);
	mounts->table = NULL;
	mount_table__read(MOUNTINFO_SELF, &mounts->table);
	mounts->read_s = now_s;
	return find_point(mounts, device);
}
