// SPDX-License-Identifier: MIT
#include "collector/host/cache_size.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/host/memory_limit.h"

#define MEMINFO	 "/proc/meminfo"
#define NO_LIMIT MEMORY_LIMIT_NONE

/* Adds up the numbers of the lines that begin with one of two names; false: no such line. */
static bool sum_of(const char *path, const char *one, const char *other, uint64_t *sum)
{
	FILE *file = fopen(path, "re");
	char line[256], word[64];
	unsigned long long number;
	bool found = false;

	*sum = 0;
	if (!file)
		return false;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63s %llu", word, &number) != 2 ||
		    (strcmp(word, one) && strcmp(word, other)))
			continue;
		*sum += number;
		found = true;
	}
	fclose(file);
	return found;
}

static uint64_t limit_of(const char *group)
{
	static const char *const names[] = {"memory.max", "memory.high", "memory.limit_in_bytes"};
	uint64_t least = NO_LIMIT;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		uint64_t limit = memory_limit__read(group, names[i]);

		if (limit < least)
			least = limit;
	}
	return least;
}

static void take(struct cache_size *s, const char *group)
{
	snprintf(s->stat_path, sizeof(s->stat_path), "%.*s/memory.stat", PATH_MAX - 16, group);
	s->of_cgroup = true;
}

/* Walks from `group` up to `mount`, shortening `group`, and takes the group with the smallest
 * limit. */
static void take_limited(struct cache_size *s, char *group, const char *mount)
{
	uint64_t least = NO_LIMIT, memory = 0;

	/* In cgroup v1 "no limit" is a very large number, so a limit counts only below the memory
	 * size. */
	if (sum_of(MEMINFO, "MemTotal:", "MemTotal:", &memory))
		least = memory * 1024;
	while (strlen(group) > strlen(mount)) {
		uint64_t limit = limit_of(group);
		char *slash;

		if (limit < least) {
			least = limit;
			take(s, group);
		}
		slash = strrchr(group, '/');
		if (!slash)
			return;
		*slash = '\0';
	}
}

static void choose_of_process(struct cache_size *s, uint32_t pid)
{
	char mount[PATH_MAX], group[2 * PATH_MAX];

	if (memory_limit__group(pid, group, mount))
		take_limited(s, group, mount);
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
static void choose_of_group(struct cache_size *s, const char *path)
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
		choose_of_process(s, first_process(access(path, R_OK) ? group : path));
		return;
	}
	take(s, group);
	take_limited(s, group, mount);
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

void cache_size__choose(struct cache_size *s, const char *cgroup_path, uint32_t pid)
{
	*s = (struct cache_size){.stat_path = MEMINFO, .mglru = uses_mglru()};
	if (cgroup_path)
		choose_of_group(s, cgroup_path);
	else if (pid)
		choose_of_process(s, pid);
}

void cache_size__update(struct cache_size *s)
{
	uint64_t bytes;

	if (!s->of_cgroup) {
		if (!sum_of(s->stat_path, "Active(file):", "Inactive(file):", &bytes))
			return;
		bytes *= 1024;
	} else if (!sum_of(s->stat_path, "total_active_file", "total_inactive_file", &bytes) &&
		   !sum_of(s->stat_path, "active_file", "inactive_file", &bytes)) {
		return;
	}
	if (bytes > s->most_bytes)
		s->most_bytes = bytes;
}
