/* SPDX-License-Identifier: MIT */
/* What control groups (version 1 or 2) allow a process of memory. */
#ifndef BLKREEL_COLLECTOR_HOST_MEMORY_LIMIT_H
#define BLKREEL_COLLECTOR_HOST_MEMORY_LIMIT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define MEMORY_LIMIT_NONE UINT64_MAX

struct memory_limit {
	char group[2 * PATH_MAX]; /* its folder */
	uint64_t bytes;		  /* MEMORY_LIMIT_NONE: no group has a limit */
	uint64_t used_bytes;	  /* at most `bytes`; includes page cache */
};

/*
 * The group with the smallest limit, of this process's group and those above it; with `by_free` the
 * group with the least memory left. In version 1 "no limit" is a number of nearly 2^63.
 */
void memory_limit__find(struct memory_limit *least, bool by_free);

/* Sets the folder of the group that the memory of a process is charged to, and where its hierarchy
 * is mounted. False: not known. */
bool memory_limit__group(uint32_t pid, char group[2 * PATH_MAX], char mount[PATH_MAX]);

/* Sets where the hierarchy with the memory controller is mounted, and which group the mount shows
 * as its root ("": that of the hierarchy). False: nowhere. */
bool memory_limit__mount(bool first_version, char mount[PATH_MAX], char root[PATH_MAX]);

/* The number in the file `name` of a group; MEMORY_LIMIT_NONE: it holds none. */
uint64_t memory_limit__read(const char *group, const char *name);

#endif
