// SPDX-License-Identifier: MIT
#include "collector/host/cache_size.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/host/cgroups.h"
#include "collector/host/memory_limit.h"

#define ROOMS_MAX  32
#define GROUPS_MAX 256

/* A cgroup whose processes touch pages. */
struct toucher {
	uint64_t id;
	uint64_t pages;
	int room; /* -1: its path is not known */
};

struct cache_size {
	struct cgroups *paths;
	struct cache_room rooms[ROOMS_MAX]; /* the first: without other information */
	unsigned int room_count;
	struct toucher groups[GROUPS_MAX];
	unsigned int group_count, latest;
	bool mglru;
};

static void choose_of_process(struct cache_room *room, uint32_t pid)
{
	char mount[PATH_MAX], group[2 * PATH_MAX];

	if (memory_limit__group(pid, group, mount))
		cache_room__find(group, mount, room);
}

static uint32_t first_process(const char *group)
{
	char path[2 * PATH_MAX], text[32] = "";
	uint32_t pid = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fgets(text, sizeof(text), file))
		pid = (uint32_t)strtoul(text, NULL, 10);
	fclose(file);
	return pid;
}

/* `path` is absolute, or relative to the mount. */
static void choose_of_group(struct cache_room *room, const char *path)
{
	char mount[PATH_MAX], root[PATH_MAX], group[2 * PATH_MAX], stat_path[3 * PATH_MAX];

	if (!memory_limit__mount(false, mount, root))
		mount[0] = '\0';
	if (*mount && !strncmp(path, mount, strlen(mount)))
		snprintf(group, sizeof(group), "%s", path);
	else
		snprintf(group, sizeof(group), "%s/%s", mount, path);
	snprintf(stat_path, sizeof(stat_path), "%s/memory.stat", group);
	if (access(stat_path, R_OK)) {
		/* Another hierarchy accounts for the memory of this group. */
		choose_of_process(room, first_process(access(path, R_OK) ? group : path));
		return;
	}
	if (!cache_room__find(group, mount, room))
		snprintf(room->group, sizeof(room->group), "%.*s", PATH_MAX - 1, group);
}

/* The lowest bit is the main switch: Documentation/admin-guide/mm/multigen_lru.rst. */
static bool uses_mglru(void)
{
	FILE *file = fopen("/sys/kernel/mm/lru_gen/enabled", "re");
	unsigned int bits = 0;
	bool is_on;

	if (!file)
		return false;
	is_on = fscanf(file, "%x", &bits) == 1 && bits & 1;
	fclose(file);
	return is_on;
}

int cache_size__create(const char *cgroup_path, uint32_t pid, struct cache_size **size)
{
	struct cache_size *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	if (cgroups__create("memory", &s->paths)) {
		free(s);
		return -ENOMEM;
	}
	s->mglru = uses_mglru();
	s->room_count = 1;
	if (cgroup_path)
		choose_of_group(&s->rooms[0], cgroup_path);
	else if (pid)
		choose_of_process(&s->rooms[0], pid);
	*size = s;
	return 0;
}

void cache_size__free(struct cache_size *s)
{
	if (!s)
		return;
	cgroups__free(s->paths);
	free(s);
}

/* The room of a control group, which several can share; -1: its path is not known, or there are too many. */
static int room_of(struct cache_size *s, uint64_t id)
{
	const char *mount = cgroups__mount(s->paths), *path = cgroups__path(s->paths, id);
	char group[2 * PATH_MAX];
	struct cache_room room;

	if (!*path)
		return -1;
	snprintf(group, sizeof(group), "%s%s", mount, strcmp(path, "/") ? path : "");
	cache_room__find(group, mount, &room);
	for (unsigned int i = 0; i < s->room_count; i++)
		if (!strcmp(s->rooms[i].group, room.group))
			return (int)i;
	if (s->room_count == ROOMS_MAX)
		return -1;
	cache_room__sample(&room);
	s->rooms[s->room_count] = room;
	return (int)s->room_count++;
}

static struct toucher *toucher_of(struct cache_size *s, uint64_t id)
{
	struct toucher *group = &s->groups[s->latest];

	if (group->id == id)
		return group;
	for (unsigned int i = 0; i < s->group_count; i++) {
		if (s->groups[i].id != id)
			continue;
		s->latest = i;
		return &s->groups[i];
	}
	if (s->group_count == GROUPS_MAX)
		return NULL;
	s->latest = s->group_count++;
	group = &s->groups[s->latest];
	*group = (struct toucher){.id = id, .room = room_of(s, id)};
	return group;
}

void cache_size__touched(struct cache_size *s, uint64_t memory_cgroup, uint64_t pages)
{
	struct toucher *group = memory_cgroup ? toucher_of(s, memory_cgroup) : NULL;

	if (group)
		group->pages += pages;
}

void cache_size__update(struct cache_size *s)
{
	for (unsigned int i = 0; i < s->group_count; i++)
		if (s->groups[i].room < 0)
			s->groups[i].room = room_of(s, s->groups[i].id);
	for (unsigned int i = 0; i < s->room_count; i++)
		cache_room__sample(&s->rooms[i]);
}

const struct cache_room *cache_size__room(const struct cache_size *s)
{
	uint64_t pages[ROOMS_MAX] = {0};
	unsigned int most = 0;

	for (unsigned int i = 0; i < s->group_count; i++)
		if (s->groups[i].room >= 0)
			pages[s->groups[i].room] += s->groups[i].pages;
	for (unsigned int i = 1; i < s->room_count; i++)
		if (pages[i] > pages[most])
			most = i;
	return &s->rooms[most];
}

bool cache_size__mglru(const struct cache_size *s)
{
	return s->mglru;
}
