/* SPDX-License-Identifier: MIT */
/* Which process used the cached pages of which file, and which took them from the cache. */
#ifndef BLKREEL_EXPLAIN_FIGURES_CACHE_PAIRS_H
#define BLKREEL_EXPLAIN_FIGURES_CACHE_PAIRS_H

#include "trace/rows.h"

/* Files, and pairs of a process and a file, that are counted; later ones are ignored. */
#define CACHE_PAIRS_MAX 65536u

/* The process that evicted most pages of a file that only others use; pages 0: there is none. */
struct cache_eviction {
	uint32_t task, file; /* table ids */
	uint64_t pages;
	uint64_t missed_pages; /* of the file, by those that use it */
};

struct cache_pairs;

struct cache_pairs *cache_pairs__new(void);    /* NULL: out of memory */
void cache_pairs__free(struct cache_pairs *p); /* NULL is allowed */

/* 0 or -ENOMEM. */
int cache_pairs__add(struct cache_pairs *p, const struct cache_row *row);
/* Only tasks for which `counts` is true are considered. */
struct cache_eviction cache_pairs__eviction(const struct cache_pairs *p,
					    bool (*counts)(uint32_t task, const void *context),
					    const void *context);

#endif
