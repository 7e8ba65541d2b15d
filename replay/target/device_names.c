// SPDX-License-Identifier: MIT
#include "replay/target/device_names.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static void read_model(dev_t device, struct device_names *names)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/device/model", major(device),
		 minor(device));
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(names->model, sizeof(names->model), file))
		for (size_t n = strlen(names->model); n && strchr(" \n", names->model[n - 1]); n--)
			names->model[n - 1] = '\0';
	fclose(file);
}

/* ".../block/sda/sda1": the directory above a partition's is that of its disk. */
static void read_part_of(dev_t device, struct device_names *names, char *link, const char *slash)
{
	char path[PATH_MAX];
	const char *disk;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/partition", major(device),
		 minor(device));
	if (access(path, F_OK))
		return;
	link[slash - link] = '\0';
	disk = strrchr(link, '/');
	snprintf(names->part_of, sizeof(names->part_of), "%.63s", disk ? disk + 1 : link);
}

void device_names__read(dev_t device, struct device_names *names)
{
	char path[PATH_MAX], link[PATH_MAX];
	const char *slash;
	ssize_t length;

	*names = (struct device_names){0};
	read_model(device, names);
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(device), minor(device));
	length = readlink(path, link, sizeof(link) - 1);
	if (length < 0)
		return;
	link[length] = '\0';
	slash = strrchr(link, '/');
	snprintf(names->name, sizeof(names->name), "%.63s", slash ? slash + 1 : link);
	if (slash)
		read_part_of(device, names, link, slash);
}
