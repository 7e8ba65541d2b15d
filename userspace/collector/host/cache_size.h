/* SPDX-License-Identifier: MIT */
/* The size of the page cache that a recording is about: the machine's or a cgroup's. */
#ifndef BLKREEL_COLLECTOR_HOST_CACHE_SIZE_H
#define BLKREEL_COLLECTOR_HOST_CACHE_SIZE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct cache_size {
	char stat_path[PATH_MAX]; /* a memory.stat, or /proc/meminfo */
	bool of_cgroup;
	bool mglru;	     /* the kernel keeps pages in generations (lru_gen) */
	uint64_t most_bytes; /* the largest size seen; 0: not known */
};

/*
 * Chooses whose page cache it is. With cgroup_path (NULL: none): the cgroup, or the ancestor with
 * the smallest memory limit. With pid (0: none): the cgroup with the smallest limit among those of
 * the process. Otherwise, and when nothing is found, the machine's.
 */
void cache_size__choose(struct cache_size *s, const char *cgroup_path, uint32_t pid);

/* Reads the current size and keeps the maximum. Counts file pages on the kernel's LRU lists; tmpfs
 * is not included. */
void cache_size__update(struct cache_size *s);

#endif
