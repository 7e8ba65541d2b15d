/* SPDX-License-Identifier: MIT */
/*
 * The size of the page cache that a recording is about: that of the machine or control group whose processes touch
 * most pages.
 */
#ifndef BLKREEL_COLLECTOR_HOST_CACHE_SIZE_H
#define BLKREEL_COLLECTOR_HOST_CACHE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/host/cache_room.h"

struct cache_size;

/*
 * Until processes are seen, with cgroup_path (NULL: none): the cgroup, or its ancestor with the smallest memory limit;
 * with pid (0: none): the cgroup with the smallest limit among those of the process. Otherwise, and when nothing is
 * found, the machine's. 0 or -ENOMEM.
 */
int cache_size__create(const char *cgroup_path, uint32_t pid, struct cache_size **size);
void cache_size__free(struct cache_size *s); /* NULL is allowed */

/* A process whose memory is charged to the cgroup with this id of the kernel (0: not known) touched pages. */
void cache_size__touched(struct cache_size *s, uint64_t memory_cgroup, uint64_t pages);

/* Reads the present sizes. */
void cache_size__update(struct cache_size *s);

/* The page cache with the most pages touched. */
const struct cache_room *cache_size__room(const struct cache_size *s);

/* Whether the kernel keeps pages in generations (lru_gen). */
bool cache_size__mglru(const struct cache_size *s);

#endif
