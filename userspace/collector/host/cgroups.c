// SPDX-License-Identifier: MIT
#include "collector/host/cgroups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <uthash.h>

#include "base/mount_table.h"

#define CGROUP_DEPTH_MAX 32

struct cgroup_path {
	uint64_t id;
	char *path;
	UT_hash_handle hh;
};

struct cgroups {
	char mount[PATH_MAX]; /* "": no cgroup mount */
	struct cgroup_path *known;
	time_t walked_s;
	uint64_t newest_asked; /* the highest id; the kernel gives them in ascending order */
};

/* A controller is in one hierarchy of cgroup v1, or else in cgroup v2. */
static void find_mount(struct cgroups *cgroups, const char *controller)
{
	struct mount_table *table;

	if (mount_table__read(MOUNTINFO_SELF, &table))
		return;
	for (size_t i = 0; i < table->count; i++) {
		const struct mount_entry *entry = &table->entries[i];
		bool first = !strcmp(entry->type, "cgroup") &&
			     mount_entry__has_option(entry, controller);

		if (!first && strcmp(entry->type, "cgroup2"))
			continue;
		if (first || !cgroups->mount[0])
			snprintf(cgroups->mount, sizeof(cgroups->mount), "%s", entry->target);
		if (first)
			break;
	}
	mount_table__free(table);
}

int cgroups__create(const char *controller, struct cgroups **cgroups)
{
	*cgroups = calloc(1, sizeof(**cgroups));
	if (!*cgroups)
		return -ENOMEM;
	find_mount(*cgroups, controller);
	return 0;
}

const char *cgroups__mount(const struct cgroups *cgroups)
{
	return cgroups->mount;
}

static void forget(struct cgroups *cgroups)
{
	struct cgroup_path *entry, *next;

	HASH_ITER (hh, cgroups->known, entry, next) {
		HASH_DEL(cgroups->known, entry);
		free(entry->path);
		free(entry);
	}
}

void cgroups__free(struct cgroups *cgroups)
{
	if (!cgroups)
		return;
	forget(cgroups);
	free(cgroups);
}

/* The inode number of a cgroup's directory is its kernfs id. */
static void remember(struct cgroups *cgroups, const char *path, uint64_t id)
{
	struct cgroup_path *entry;

	HASH_FIND(hh, cgroups->known, &id, sizeof(id), entry);
	if (entry)
		return;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return;
	entry->id = id;
	entry->path = strdup(path);
	if (!entry->path) {
		free(entry);
		return;
	}
	HASH_ADD(hh, cgroups->known, id, sizeof(id), entry);
}

static void walk(struct cgroups *cgroups, char *path, size_t used, int depth)
{
	struct dirent *entry;
	struct stat st;
	DIR *directory;

	if (stat(path, &st))
		return;
	remember(cgroups, path[strlen(cgroups->mount)] ? path + strlen(cgroups->mount) : "/",
		 st.st_ino);
	directory = depth < CGROUP_DEPTH_MAX ? opendir(path) : NULL;
	if (!directory)
		return;
	while ((entry = readdir(directory))) {
		int length;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		length = snprintf(path + used, PATH_MAX - used, "/%s", entry->d_name);
		if (length > 0 && used + (size_t)length < PATH_MAX)
			walk(cgroups, path, used + (size_t)length, depth + 1);
		path[used] = '\0';
	}
	closedir(directory);
}

/* A cgroup that is newer than all others may have been made since the last walk. Those that are not
 * found, because they were removed, do not cause more than one walk a second. */
static bool may_find(const struct cgroups *cgroups, uint64_t id, time_t now_s)
{
	return cgroups->mount[0] && (id > cgroups->newest_asked || now_s != cgroups->walked_s);
}

const char *cgroups__path(struct cgroups *cgroups, uint64_t id)
{
	struct cgroup_path *entry;
	char path[PATH_MAX];
	time_t now_s = time(NULL);

	HASH_FIND(hh, cgroups->known, &id, sizeof(id), entry);
	if (!entry && may_find(cgroups, id, now_s)) {
		cgroups->walked_s = now_s;
		forget(cgroups);
		snprintf(path, sizeof(path), "%s", cgroups->mount);
		walk(cgroups, path, strlen(path), 0);
		HASH_FIND(hh, cgroups->known, &id, sizeof(id), entry);
	}
	if (id > cgroups->newest_asked)
		cgroups->newest_asked = id;
	return entry ? entry->path : "";
}

bool cgroups__is_at(const struct cgroups *cgroups, const char *path, uint64_t id)
{
	char whole[2 * PATH_MAX];
	struct stat st;

	snprintf(whole, sizeof(whole), "%s/%s", cgroups->mount, path);
	return *path && !stat(whole, &st) && st.st_ino == id;
}

/* In cgroup v2 IO is charged to the nearest ancestor that has the io controller. */
static bool is_charged(const char *directory)
{
	char path[3 * PATH_MAX], line[256], *word, *rest = line;
	FILE *file;

	snprintf(path, sizeof(path), "%s/cgroup.controllers", directory);
	file = fopen(path, "re");
	if (!file)
		return true;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	while ((word = strsep(&rest, " \n")))
		if (!strcmp(word, "io"))
			return true;
	return false;
}

int cgroups__id(struct cgroups *cgroups, const char *path, uint64_t *id)
{
	char whole[2 * PATH_MAX];
	struct stat st;

	if (!strncmp(path, cgroups->mount, strlen(cgroups->mount)) && cgroups->mount[0])
		snprintf(whole, sizeof(whole), "%s", path);
	else
		snprintf(whole, sizeof(whole), "%s/%s", cgroups->mount, path);
	if (stat(whole, &st))
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	*id = st.st_ino;
	return is_charged(whole) ? 0 : -EOPNOTSUPP;
}
