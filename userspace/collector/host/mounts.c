// SPDX-License-Identifier: MIT
#include "collector/host/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <uthash.h>

#include "base/mount_table.h"

/* Where a device was mounted last: its names can be read after it was unmounted. */
struct last_point {
	dev_t device;
	char *target;
	UT_hash_handle hh;
};

struct mounts {
	struct mount_table *table; /* NULL: not read yet, or not readable */
	time_t read_s;
	int changes_fd; /* -1: changes cannot be noticed */
	struct last_point *last;
};

int mounts__create(struct mounts **mounts)
{
	*mounts = calloc(1, sizeof(**mounts));
	if (!*mounts)
		return -ENOMEM;
	(*mounts)->changes_fd = open(MOUNTINFO_SELF, O_RDONLY | O_CLOEXEC);
	return 0;
}

void mounts__free(struct mounts *mounts)
{
	if (!mounts)
		return;
	if (mounts->changes_fd >= 0)
		close(mounts->changes_fd);
	while (mounts->last) {
		struct last_point *last = mounts->last;

		HASH_DEL(mounts->last, last);
		free(last->target);
		free(last);
	}
	mount_table__free(mounts->table);
	free(mounts);
}

/* Since the last call (proc(5), "/proc/pid/mounts"). */
static bool has_changed(const struct mounts *mounts)
{
	struct pollfd changes = {.fd = mounts->changes_fd, .events = POLLPRI};

	return poll(&changes, 1, 0) > 0 && changes.revents & POLLPRI;
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

/* The last mount of the whole file system hides earlier ones. NULL: it is not mounted. */
static const char *find_point(const struct mounts *mounts, dev_t device)
{
	for (size_t i = mounts->table ? mounts->table->count : 0; i > 0; i--) {
		const struct mount_entry *entry = &mounts->table->entries[i - 1];

		if (!strcmp(entry->root, "/") && is_on_device(entry, device))
			return entry->target;
	}
	return NULL;
}

/* Reads the table again if it has changed; when it does not have the device, at most once a second. */
static const char *current_point(struct mounts *mounts, dev_t device)
{
	time_t now_s = time(NULL);

	if (!has_changed(mounts)) {
		const char *point = find_point(mounts, device);

		if (point || mounts->read_s == now_s)
			return point;
	}
	mount_table__free(mounts->table);
	mounts->table = NULL;
	mount_table__read(MOUNTINFO_SELF, &mounts->table);
	mounts->read_s = now_s;
	return find_point(mounts, device);
}

static struct last_point *last_point_of(struct mounts *mounts, dev_t device)
{
	struct last_point *last;

	HASH_FIND(hh, mounts->last, &device, sizeof(device), last);
	if (last)
		return last;
	last = calloc(1, sizeof(*last));
	if (!last)
		return NULL;
	last->device = device;
	HASH_ADD(hh, mounts->last, device, sizeof(device), last);
	return last;
}

const char *mounts__point(struct mounts *mounts, uint32_t major_number, uint32_t minor_number)
{
	dev_t device = makedev(major_number, minor_number);
	const char *point = current_point(mounts, device);
	struct last_point *last = last_point_of(mounts, device);

	if (last && point && (!last->target || strcmp(last->target, point))) {
		free(last->target);
		last->target = strdup(point);
	}
	if (last && last->target)
		return last->target;
	return point ? point : "";
}
