// SPDX-License-Identifier: MIT
#include "replay/target/storage_tree.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "replay/target/dm_table.h"

/* A device with more ranges than this counts as one that takes all of the devices below. */
#define SEGMENTS_MAX 64

/* Levels ------------------------------------------------------------------------------------- */

struct addition {
	const struct safety_view *view;
	struct storage_tree *tree;
	unsigned int parent, limit;
	bool reads_only; /* the parent is */
};

static struct storage_level *append(struct storage_tree *tree)
{
	if (tree->count < STORAGE_LEVELS_MAX)
		return &tree->levels[tree->count++];
	tree->cut = true;
	return NULL;
}

/* The range of a partition, counted from the start of its disk; `start` and `end` are its own sectors. */
static void place(const struct safety_view *view, struct storage_level *level)
{
	uint64_t first, size;

	level->placed = true;
	if (!level->at.block || level->at.device == level->at.disk)
		return;
	first = safety__sysfs_number(view, level->at.device, "start", UINT64_MAX);
	size = safety__sysfs_number(view, level->at.device, "size", UINT64_MAX);
	level->placed = first != UINT64_MAX && size <= UINT64_MAX - first;
	if (!level->placed) {
		level->start = 0;
		level->end = UINT64_MAX;
		return;
	}
	level->end = first + (level->end < size ? level->end : size);
	level->start += first;
}

static bool add_extent(void *context, const struct dm_extent *extent)
{
	const struct addition *add = context;
	struct storage_level *level = add->tree->count < add->limit ? append(add->tree) : NULL;

	if (!level)
		return false;
	*level = (struct storage_level){.start = extent->start,
					.end = extent->end,
					.thin = extent->thin,
					.parent = (short)add->parent,
					.step = STEP_MAPPED,
					.reads_only = extent->reads_only || add->reads_only};
	storage__of_device(add->view, extent->device, &level->at);
	place(add->view, level);
	return true;
}

static bool add_table(const struct addition *add, const struct storage_level *above)
{
	unsigned int before = add->tree->count;
	char *text;
	bool known;
	int err;

	err = add->view->read_dm_table ? add->view->read_dm_table(above->at.disk, &text) : -EACCES;
	add->tree->guessed |= err && err != -ENXIO;
	if (err)
		return false;
	known = dm_table__map(text, above->start, above->end, add_extent, (void *)add);
	dm_table__free(text);
	if (!known)
		add->tree->count = before;
	return known;
}

/* Folders ------------------------------------------------------------------------------------ */

static void name_folder(const struct safety_view *view, dev_t disk, const char *name, char *path,
			size_t bytes)
{
	snprintf(path, bytes, "%s/dev/block/%u:%u/%s", view->sysfs_path, major(disk), minor(disk),
		 name);
}

static bool has_folder(const struct safety_view *view, dev_t disk, const char *name)
{
	char path[PATH_MAX];

	name_folder(view, disk, name, path, sizeof(path));
	return !access(path, F_OK);
}

/* All of each device below. False: there is none. */
static bool add_slaves(const struct addition *add, dev_t disk)
{
	struct dm_extent extent = {.end = UINT64_MAX, .thin = DM_NO_THIN};
	struct dirent *entry;
	char path[PATH_MAX], folder[PATH_MAX + NAME_MAX + 2];
	bool any = false;
	DIR *slaves;

	name_folder(add->view, disk, "slaves", path, sizeof(path));
	slaves = opendir(path);
	if (!slaves)
		return false;
	while ((entry = readdir(slaves))) {
		snprintf(folder, sizeof(folder), "%s/%s", path, entry->d_name);
		if (entry->d_name[0] == '.' || safety__read_number(folder, &extent.device))
			continue;
		any = true;
		if (!add_extent((void *)add, &extent))
			break;
	}
	closedir(slaves);
	return any;
}

/* Downwards ---------------------------------------------------------------------------------- */

static void add_backing(const struct addition *add, const char *name)
{
	struct storage_level *level;
	struct storage_loop loop;

	if (!storage__read_loop(add->view, name, &loop))
		return;
	level = append(add->tree);
	if (!level)
		return;
	*level = (struct storage_level){.at = loop.backing,
					.end = UINT64_MAX,
					.thin = DM_NO_THIN,
					.parent = (short)add->parent,
					.step = STEP_LOOP,
					.reads_only = add->reads_only};
	place(add->view, level);
}

static void add_mapped(struct addition *add, const struct storage_level *above)
{
	bool mapper = has_folder(add->view, above->at.disk, "dm");

	/* A level of a thin device takes all of its pool's devices: which parts of them is not asked. */
	if (mapper && above->thin == DM_NO_THIN) {
		add->limit = add->tree->count + SEGMENTS_MAX;
		if (add_table(add, above))
			return;
	}
	add->limit = STORAGE_LEVELS_MAX;
	add_slaves(add, above->at.disk);
}

static void expand(const struct safety_view *view, struct storage_tree *tree, unsigned int i)
{
	const struct storage_level above = tree->levels[i];
	struct addition add = {.view = view,
			       .tree = tree,
			       .parent = i,
			       .limit = STORAGE_LEVELS_MAX,
			       .reads_only = above.reads_only};
	char name[NAME_MAX + 1];

	if (!above.at.block || !safety__kernel_name(view, above.at.disk, name, sizeof(name)))
		return;
	if (!strncmp(name, "loop", 4))
		add_backing(&add, name);
	else
		add_mapped(&add, &above);
}

void storage_tree__follow(const struct safety_view *view, const struct storage *s,
			  struct storage_tree *tree)
{
	tree->count = 1;
	tree->cut = tree->guessed = false;
	tree->levels[0] = (struct storage_level){
		.at = *s, .end = UINT64_MAX, .thin = DM_NO_THIN, .parent = -1};
	place(view, &tree->levels[0]);
	for (unsigned int i = 0; i < tree->count && !tree->cut; i++)
		expand(view, tree, i);
}

bool storage_tree__is_mapped(const struct storage_tree *tree)
{
	for (unsigned int i = 1; i < tree->count; i++)
		if (tree->levels[i].step == STEP_MAPPED)
			return true;
	return false;
}

bool storage_tree__has_disk(const struct storage_tree *tree, dev_t disk)
{
	for (unsigned int i = 0; i < tree->count; i++)
		if (tree->levels[i].at.block && tree->levels[i].at.disk == disk)
			return true;
	return false;
}

/* Overlap ------------------------------------------------------------------------------------ */

static bool same_file(const struct storage *a, const struct storage *b)
{
	for (unsigned int i = 0; i < a->file_count; i++)
		for (unsigned int k = 0; k < b->file_count; k++)
			if (a->files[i].device == b->files[k].device &&
			    a->files[i].inode == b->files[k].inode)
				return true;
	return false;
}

static bool same_disk(const struct storage_level *a, const struct storage_level *b)
{
	return a->at.block && b->at.block && a->at.disk == b->at.disk;
}

/* Two partitions are apart, also when it is not known where they begin. */
static enum storage_overlap compare_ranges(const struct storage_level *a,
					   const struct storage_level *b)
{
	bool parts = a->at.device != a->at.disk && b->at.device != b->at.disk;

	if (a->thin != b->thin && a->thin != DM_NO_THIN && b->thin != DM_NO_THIN)
		return STORAGE_APART;
	/* All of a pool is a thin device's, as far as is known. */
	if (a->thin != b->thin)
		return STORAGE_SHARED;
	if (parts && a->at.device != b->at.device && (!a->placed || !b->placed))
		return STORAGE_APART;
	return a->start < b->end && b->start < a->end ? STORAGE_SHARED : STORAGE_APART;
}

static enum storage_overlap compare(const struct storage_level *a, const struct storage_level *b)
{
	if (a->reads_only)
		return STORAGE_APART;
	if (same_disk(a, b))
		return compare_ranges(a, b);
	if (a->at.block || b->at.block)
		return STORAGE_APART;
	return same_file(&a->at, &b->at)	? STORAGE_SHARED
	       : a->at.unknown || b->at.unknown ? STORAGE_UNKNOWN
						: STORAGE_APART;
}

/* Below a disk on which two have met they are apart or not as they are there. */
static bool met_above(const struct storage_tree *a, unsigned int i, const struct storage_tree *b,
		      unsigned int k)
{
	for (int x = a->levels[i].parent; x >= 0; x = a->levels[x].parent)
		for (int y = b->levels[k].parent; y >= 0; y = b->levels[y].parent)
			if (same_disk(&a->levels[x], &b->levels[y]))
				return true;
	return false;
}

static void describe(const struct storage_level *a, const struct storage_level *b,
		     struct storage_meeting *meeting)
{
	*meeting = (struct storage_meeting){
		.level = a,
		.start = a->start > b->start ? a->start : b->start,
		.end = a->end < b->end ? a->end : b->end,
		.pool = a->thin != b->thin,
	};
}

enum storage_overlap storage_tree__overlap(const struct storage_tree *a,
					   const struct storage_tree *b,
					   struct storage_meeting *meeting)
{
	bool unknown = a->cut || b->cut;

	for (unsigned int i = 0; i < a->count; i++)
		for (unsigned int k = 0; k < b->count; k++) {
			enum storage_overlap overlap = compare(&a->levels[i], &b->levels[k]);

			if (overlap == STORAGE_APART || met_above(a, i, b, k))
				continue;
			if (overlap == STORAGE_SHARED) {
				if (meeting)
					describe(&a->levels[i], &b->levels[k], meeting);
				return STORAGE_SHARED;
			}
			unknown = true;
		}
	return unknown ? STORAGE_UNKNOWN : STORAGE_APART;
}
