// SPDX-License-Identifier: MIT
#include "replay/target/neighbours.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "replay/target/dm_table.h"

/* Names -------------------------------------------------------------------------------------- */

/* "" of a device that is not the device mapper's. */
static void read_mapper_name(const struct safety_view *view, dev_t device, char *name, int bytes)
{
	char path[PATH_MAX];
	FILE *file;

	name[0] = '\0';
	snprintf(path, sizeof(path), "%s/dev/block/%u:%u/dm/name", view->sysfs_path, major(device),
		 minor(device));
	file = fopen(path, "re");
	if (!file)
		return;
	if (!fgets(name, bytes, file))
		name[0] = '\0';
	name[strcspn(name, "\n")] = '\0';
	fclose(file);
}

static void read_name(const struct safety_view *view, dev_t device, char *name, size_t bytes)
{
	read_mapper_name(view, device, name, (int)bytes);
	if (!name[0] && !safety__kernel_name(view, device, name, bytes))
		snprintf(name, bytes, "%u:%u", major(device), minor(device));
}

void neighbours__path(const struct safety_view *view, dev_t device, char *path, size_t bytes)
{
	char name[NEIGHBOUR_PATH_MAX];

	read_mapper_name(view, device, name, sizeof(name));
	if (name[0]) {
		snprintf(path, bytes, "/dev/mapper/%s", name);
		return;
	}
	read_name(view, device, name, sizeof(name));
	snprintf(path, bytes, "/dev/%s", name);
}

void neighbours__where(const struct safety_view *view, const struct storage_tree *target,
		       const struct storage_meeting *meeting, char *text, size_t bytes)
{
	const struct storage_level *level = meeting->level;
	uint64_t size = safety__sysfs_number(view, level->at.disk, "size", UINT64_MAX);
	uint64_t end = meeting->end < size ? meeting->end : size;
	char name[NEIGHBOUR_PATH_MAX];
	size_t used;

	read_name(view, level->at.disk, name, sizeof(name));
	if (!level->at.block)
		snprintf(text, bytes, "one file");
	else if (level->thin != DM_NO_THIN)
		snprintf(text, bytes, "thin device %" PRId64 " of %s", level->thin, name);
	else if (end == UINT64_MAX || end <= meeting->start)
		snprintf(text, bytes, "%s", name);
	else
		snprintf(text, bytes, "sectors %" PRIu64 " to %" PRIu64 " of %s", meeting->start,
			 end - 1, name);
	used = strlen(text);
	if (target->guessed)
		snprintf(
			text + used, bytes - used,
			" (all of a device is taken: to read the tables of the device mapper takes root "
			"and /dev/mapper/control)");
}

/* Search ------------------------------------------------------------------------------------- */

static bool is_neighbour(const struct safety_view *view, const struct storage_tree *target,
			 const char *name, struct neighbour *n)
{
	struct storage_meeting meeting;
	struct storage_tree tree;
	struct storage storage;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/block/%s", view->sysfs_path, name);
	if (safety__read_number(path, &n->device) || storage_tree__has_disk(target, n->device))
		return false;
	storage__of_device(view, n->device, &storage);
	storage_tree__follow(view, &storage, &tree);
	/* Loop devices are looked at by their files. */
	if (tree.count < 2 || tree.levels[1].step != STEP_MAPPED)
		return false;
	switch (storage_tree__overlap(target, &tree, &meeting)) {
	case STORAGE_APART:
		return false;
	case STORAGE_SHARED:
		neighbours__where(view, target, &meeting, n->where, sizeof(n->where));
		n->pool = meeting.pool;
		break;
	case STORAGE_UNKNOWN:
		snprintf(n->where, sizeof(n->where), "what cannot be seen from here");
		n->pool = false;
		break;
	}
	neighbours__path(view, n->device, n->path, sizeof(n->path));
	n->mapper = !strncmp(n->path, "/dev/mapper/", strlen("/dev/mapper/"));
	return true;
}

bool neighbours__each(const struct safety_view *view, const struct storage_tree *target,
		      bool (*found)(void *context, const struct neighbour *neighbour),
		      void *context)
{
	char path[PATH_MAX];
	struct dirent *entry;
	bool enough = false;
	DIR *block;

	snprintf(path, sizeof(path), "%s/block", view->sysfs_path);
	block = opendir(path);
	if (!block)
		return false;
	while (!enough && (entry = readdir(block))) {
		struct neighbour neighbour;

		if (entry->d_name[0] != '.' &&
		    is_neighbour(view, target, entry->d_name, &neighbour))
			enough = found(context, &neighbour);
	}
	closedir(block);
	return enough;
}
