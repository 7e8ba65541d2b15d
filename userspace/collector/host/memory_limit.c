// SPDX-License-Identifier: MIT
#include "collector/host/memory_limit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mount_table.h"

uint64_t memory_limit__read(const char *group, const char *name)
{
	char path[2 * PATH_MAX], text[32] = "";
	unsigned long long limit;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", group, name);
	file = fopen(path, "re");
	if (!file)
		return MEMORY_LIMIT_NONE;
	if (!fgets(text, sizeof(text), file) || sscanf(text, "%llu", &limit) != 1)
		limit = MEMORY_LIMIT_NONE;
	fclose(file);
	return limit;
}

bool memory_limit__mount(bool first_version, char mount[PATH_MAX], char root[PATH_MAX])
{
	struct mount_table *table;
	bool found = false;

	if (mount_table__read(MOUNTINFO_SELF, &table))
		return false;
	for (size_t i = 0; i < table->count && !found; i++) {
		const struct mount_entry *entry = &table->entries[i];

		found = first_version ? !strcmp(entry->type, "cgroup") &&
						mount_entry__has_option(entry, "memory")
				      : !strcmp(entry->type, "cgroup2");
		if (!found)
			continue;
		snprintf(mount, PATH_MAX, "%s", entry->target);
		snprintf(root, PATH_MAX, "%s", strcmp(entry->root, "/") ? entry->root : "");
	}
	mount_table__free(table);
	return found;
}

static bool names_memory(char *controllers)
{
	char *word;

	while ((word = strsep(&controllers, ",")))
		if (!strcmp(word, "memory"))
			return true;
	return false;
}

/* Finds, from /proc, the path of the cgroup that a process' memory is charged to. */
static bool path_of_process(uint32_t pid, bool *first_version, char found[PATH_MAX])
{
	char path[64], line[PATH_MAX + 256];
	bool is_found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/cgroup", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	*first_version = false;
	while (!*first_version && fgets(line, sizeof(line), file)) {
		char *rest = line, *hierarchy = strsep(&rest, ":"), *names = strsep(&rest, ":");

		if (!rest || (strcmp(hierarchy, "0") && !names_memory(names)))
			continue;
		*first_version = strcmp(hierarchy, "0") != 0;
		rest[strcspn(rest, "\n")] = '\0';
		snprintf(found, PATH_MAX, "%.*s", PATH_MAX - 1, rest);
		is_found = true;
	}
	fclose(file);
	return is_found;
}

bool memory_limit__group(uint32_t pid, char group[2 * PATH_MAX], char mount[PATH_MAX])
{
	char root[PATH_MAX], path[PATH_MAX];
	const char *below = path;
	bool first_version;

	if (!path_of_process(pid, &first_version, path) ||
	    !memory_limit__mount(first_version, mount, root))
		return false;
	/* In a container the mount shows only a subtree of the hierarchy. */
	if (*root && !strncmp(path, root, strlen(root)))
		below += strlen(root);
	snprintf(group, 2 * PATH_MAX, "%s%s", mount, strcmp(below, "/") ? below : "");
	return true;
}

/* Version 1 and version 2 of control groups. */
static void read_group(const char *group, struct memory_limit *l)
{
	uint64_t first = memory_limit__read(group, "memory.limit_in_bytes");

	l->bytes = memory_limit__read(group, "memory.max");
	l->used_bytes = memory_limit__read(group, "memory.current");
	if (first < l->bytes) {
		l->bytes = first;
		l->used_bytes = memory_limit__read(group, "memory.usage_in_bytes");
	}
	if (l->used_bytes > l->bytes)
		l->used_bytes = l->bytes;
}

void memory_limit__find(struct memory_limit *least, bool by_free)
{
	char group[2 * PATH_MAX], mount[PATH_MAX], *slash;
	struct memory_limit now;

	*least = (struct memory_limit){.bytes = MEMORY_LIMIT_NONE};
	if (!memory_limit__group((uint32_t)getpid(), group, mount))
		return;
	while (strlen(group) >= strlen(mount)) {
		read_group(group, &now);
		if (now.bytes < MEMORY_LIMIT_NONE &&
		    (by_free ? now.bytes - now.used_bytes < least->bytes - least->used_bytes
			     : now.bytes < least->bytes)) {
			*least = now;
			snprintf(least->group, sizeof(least->group), "%s", group);
		}
		slash = strrchr(group, '/');
		if (!slash)
			return;
		*slash = '\0';
	}
}
