/* SPDX-License-Identifier: MIT */
/* How large the page cache is that a recording is about: the machine's, or that of a control group. */
#ifndef BLKREEL_COLLECTOR_HOST_CACHE_SIZE_H
#define BLKREEL_COLLECTOR_HOST_CACHE_SIZE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct cache_size {
	char stat_path[PATH_MAX]; /* a memory.stat, or /proc/meminfo */
	bool of_cgroup;
	bool mglru;	     /* the kernel keeps pages in generations (lru_gen) */
	uint64_t most_bytes; /* that was seen; 0: not known */
};

/*
 * Whose it is. With cgroup_path (NULL: none), that of the nearest group upwards that has the smallest limit of
 * memory, or its own without any; with pid (0: none), likewise where a limit concerns the process; else the
 * machine's. Nothing fails: what cannot be found is the machine's.
 */
void cache_size__choose(struct cache_size *s, const char *cgroup_path, uint32_t pid);

/* Looks how large it is now: file pages on the kernel's lists, those of tmpfs are not among them. */
void cache_size__look(struct cache_size *s);

#endif
