// SPDX-License-Identifier: MIT
#include "replay/target/twins.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#define IDENTIFIER_MAX 256

static bool read_line(const char *path, char *line, int bytes)
{
	FILE *file = fopen(path, "re");
	bool got = file && fgets(line, bytes, file);

	if (file)
		fclose(file);
	if (got)
		line[strcspn(line, "\n")] = '\0';
	return got;
}

/* Those that are made from a serial number ("t10.") are not unique with every bridge. */
static bool is_unique(const char *identifier)
{
	static const char *const kinds[] = {"naa.", "eui.", "uuid.", "nvme."};

	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strncmp(identifier, kinds[i], strlen(kinds[i])))
			return strlen(identifier) > strlen(kinds[i]) &&
			       strspn(identifier + strlen(kinds[i]), "0-") !=
				       strlen(identifier + strlen(kinds[i]));
	return false;
}

/* `folder` is that of the disk in sysfs. NVMe has the identifier in it, SCSI one below. */
static bool read_identifier(const char *folder, char *identifier)
{
	static const char *const places[] = {"wwid", "device/wwid"};
	char path[PATH_MAX];

	for (unsigned int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, places[i]);
		if (read_line(path, identifier, IDENTIFIER_MAX))
			return is_unique(identifier);
	}
	return false;
}

static bool read_twin(const struct safety_view *view, const char *name, const char *wanted,
		      struct twin *twin)
{
	char folder[PATH_MAX], path[PATH_MAX + 8], identifier[IDENTIFIER_MAX], number[32];
	unsigned int device_major, device_minor;

	snprintf(folder, sizeof(folder), "%s/block/%s", view->sysfs_path, name);
	snprintf(path, sizeof(path), "%s/dev", folder);
	if (!read_identifier(folder, identifier) || strcmp(identifier, wanted) ||
	    !read_line(path, number, sizeof(number)) ||
	    sscanf(number, "%u:%u", &device_major, &device_minor) != 2)
		return false;
	snprintf(twin->name, sizeof(twin->name), "%.63s", name);
	twin->device = makedev(device_major, device_minor);
	return true;
}

unsigned int twins__find(const struct safety_view *view, dev_t disk, struct twin *twins,
			 unsigned int max)
{
	char path[PATH_MAX], identifier[IDENTIFIER_MAX];
	unsigned int count = 0;
	struct dirent *entry;
	DIR *block;

	snprintf(path, sizeof(path), "%s/dev/block/%u:%u", view->sysfs_path, major(disk),
		 minor(disk));
	if (!read_identifier(path, identifier))
		return 0;
	snprintf(path, sizeof(path), "%s/block", view->sysfs_path);
	block = opendir(path);
	if (!block)
		return 0;
	while (count < max && (entry = readdir(block)))
		if (entry->d_name[0] != '.' &&
		    read_twin(view, entry->d_name, identifier, &twins[count]) &&
		    twins[count].device != disk)
			count++;
	closedir(block);
	return count;
}
