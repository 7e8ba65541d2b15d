// SPDX-License-Identifier: MIT
#include "collector/host/cache_room.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collector/host/memory_limit.h"

#define MEMINFO	  "/proc/meminfo"
#define ZONEINFO  "/proc/zoneinfo"
#define FULL_PART 16 /* memory with less than this part of it free is full */

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
	uint64_t least = MEMORY_LIMIT_NONE;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		uint64_t limit = memory_limit__read(group, names[i]);

		if (limit < least)
			least = limit;
	}
	return least;
}

static uint64_t used_by(const char *group)
{
	uint64_t used = memory_limit__read(group, "memory.current");

	return used == MEMORY_LIMIT_NONE ? memory_limit__read(group, "memory.usage_in_bytes")
					 : used;
}

bool cache_room__find(const char *group, const char *mount, struct cache_room *room)
{
	uint64_t least = MEMORY_LIMIT_NONE, memory = 0;
	char at[PATH_MAX];

	*room = (struct cache_room){0};
	snprintf(at, sizeof(at), "%s", group);
	/* In cgroup v1 "no limit" is a very large number, so a limit counts only below the memory
	 * size. */
	if (sum_of(MEMINFO, "MemTotal:", "MemTotal:", &memory))
		least = memory * 1024;
	while (strlen(at) > strlen(mount)) {
		uint64_t limit = limit_of(at);
		char *slash;

		if (limit < least) {
			least = limit;
			memcpy(room->group, at, sizeof(at));
		}
		slash = strrchr(at, '/');
		if (!slash)
			break;
		*slash = '\0';
	}
	return room->group[0] != '\0';
}

/* What the kernel keeps free is no room. */
static uint64_t free_of_machine(void)
{
	uint64_t free_kb, kept_pages = 0, kept;

	if (!sum_of(MEMINFO, "MemFree:", "MemFree:", &free_kb))
		return 0;
	sum_of(ZONEINFO, "high", "high", &kept_pages);
	kept = kept_pages * (uint64_t)sysconf(_SC_PAGESIZE);
	return free_kb * 1024 > kept ? free_kb * 1024 - kept : 0;
}

static bool read_machine(uint64_t *cached, uint64_t *free)
{
	if (!sum_of(MEMINFO, "Active(file):", "Inactive(file):", cached))
		return false;
	*cached *= 1024;
	*free = free_of_machine();
	return true;
}

static bool read_group(const char *group, uint64_t *cached, uint64_t *free)
{
	uint64_t limit = limit_of(group), used = used_by(group), of_machine = free_of_machine();
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/memory.stat", group);
	if (!sum_of(path, "total_active_file", "total_inactive_file", cached) &&
	    !sum_of(path, "active_file", "inactive_file", cached))
		return false;
	*free = limit != MEMORY_LIMIT_NONE && used < limit ? limit - used : 0;
	if (limit == MEMORY_LIMIT_NONE || *free > of_machine)
		*free = of_machine;
	return true;
}

void cache_room__note(struct cache_room *room, uint64_t cached_bytes, uint64_t free_bytes)
{
	bool is_full = free_bytes < (cached_bytes + free_bytes) / FULL_PART;
	bool is_first = !room->cached_bytes;

	if (is_full)
		free_bytes = 0;
	if (is_full ? room->was_full && cached_bytes <= room->cached_bytes
		    : room->was_full || (!is_first && free_bytes >= room->free_bytes))
		return;
	room->was_full = is_full;
	room->cached_bytes = cached_bytes;
	room->free_bytes = free_bytes;
}

void cache_room__sample(struct cache_room *room)
{
	uint64_t cached, free;

	if (room->group[0] ? read_group(room->group, &cached, &free) : read_machine(&cached, &free))
		cache_room__note(room, cached, free);
}
