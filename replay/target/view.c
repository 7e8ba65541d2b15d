// SPDX-License-Identifier: MIT
#include "replay/target/view.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "replay/target/dm_table.h"

const struct safety_view safety_view_of_system = {
	.mountinfo_path = "/proc/self/mountinfo",
	.swaps_path = "/proc/swaps",
	.sysfs_path = "/sys",
	.proc_path = "/proc",
	.read_dm_table = dm_table__read,
};

uint64_t safety__sysfs_number(const struct safety_view *view, dev_t device, const char *attribute,
			      uint64_t fallback)
{
	/* A partition has some attributes itself (ro); others (queue/) belong to its disk. */
	static const char *const places[] = {"", "../"};
	unsigned long long value;
	char path[PATH_MAX];

	for (unsigned int i = 0; i < 2; i++) {
		FILE *file;
		int fields;

		snprintf(path, sizeof(path), "%s/dev/block/%u:%u/%s%s", view->sysfs_path,
			 major(device), minor(device), places[i], attribute);
		file = fopen(path, "re");
		if (!file)
			continue;
		fields = fscanf(file, "%llu", &value);
		fclose(file);
		if (fields == 1)
			return value;
	}
	return fallback;
}

int safety__read_number(const char *folder, dev_t *device)
{
	unsigned int device_major, device_minor;
	char path[PATH_MAX + NAME_MAX + 8];
	FILE *file;
	int fields;

	snprintf(path, sizeof(path), "%s/dev", folder);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	fields = fscanf(file, "%u:%u", &device_major, &device_minor);
	fclose(file);
	if (fields != 2)
		return -EINVAL;
	*device = makedev(device_major, device_minor);
	return 0;
}

bool safety__kernel_name(const struct safety_view *view, dev_t device, char *name, size_t bytes)
{
	char path[PATH_MAX], link[PATH_MAX];
	ssize_t length;

	snprintf(path, sizeof(path), "%s/dev/block/%u:%u", view->sysfs_path, major(device),
		 minor(device));
	length = readlink(path, link, sizeof(link) - 1);
	link[length < 0 ? 0 : length] = '\0';
	snprintf(name, bytes, "%s", strrchr(link, '/') ? strrchr(link, '/') + 1 : link);
	return name[0];
}
