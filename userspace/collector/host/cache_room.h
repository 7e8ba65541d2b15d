/* SPDX-License-Identifier: MIT */
/* How large the page cache of the machine, or of a control group with a memory limit, can be. */
#ifndef BLKREEL_COLLECTOR_HOST_CACHE_ROOM_H
#define BLKREEL_COLLECTOR_HOST_CACHE_ROOM_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct cache_room {
	char group[PATH_MAX]; /* "": the machine */
	/* Of the sample that says most of the size: */
	uint64_t cached_bytes; /* file pages on the kernel's lists (without tmpfs); 0: no sample */
	uint64_t free_bytes;   /* that the cache could have taken; 0: the memory was full */
	bool was_full;
};

/*
 * Looks for the control group with the smallest memory limit below the machine's memory, from `group` (an absolute
 * path) up to its mount. False: there is none, and *room is the machine's.
 */
bool cache_room__find(const char *group, const char *mount, struct cache_room *room);

/*
 * Reads the present sizes. A sample of full memory says how large the cache can be, and of these the largest; without
 * one the sample with the least free memory.
 */
void cache_room__sample(struct cache_room *room);

/* The same with sizes that were read. */
void cache_room__note(struct cache_room *room, uint64_t cached_bytes, uint64_t free_bytes);

#endif
