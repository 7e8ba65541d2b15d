/* SPDX-License-Identifier: MIT */
/* Which process used the cached pages of which file, and which took them from the cache. */
#ifndef BLKREEL_EXPLAIN_FIGURES_CACHE_PAIRS_H
#define BLKREEL_EXPLAIN_FIGURES_CACHE_PAIRS_H

#include <stdbool.h>

#include "trace/rows.h"

/* Files, and pairs of a process and a file, that are counted; later ones are ignored. */
#define CACHE_PAIRS_MAX 65536u

/* The process that evicted most pages that were read again, of a file that only others use; again_pages 0:
 * there is none. */
struct cache_eviction {
	uint32_t task, file; /* table ids */
	uint64_t pages;
	uint64_t again_pages; /* estimated: of these, read again */
};

/* The processes of one command that dropped most pages that a device read again, not for want of memory;
 * again_pages 0: there are none. */
struct cache_dropping {
	uint32_t task,
		file;	/* table ids: the process that dropped most, the file of which it did */
	uint64_t pages; /* of all files of which some were read again, by all processes */
	uint64_t again_pages; /* estimated: of these, read again */
	uint32_t processes, files;
	bool used;	     /* it also read or wrote that file through the page cache */
	bool wrote_directly; /* it wrote to that file with O_DIRECT */
};

struct cache_pairs;

struct cache_pairs *cache_pairs__new(void);    /* NULL: out of memory */
void cache_pairs__free(struct cache_pairs *p); /* NULL is allowed */

/* 0 or -ENOMEM. */
int cache_pairs__add(struct cache_pairs *p, const struct cache_row *row);
/* Notes a device's read of file pages. 0 or -ENOMEM. */
int cache_pairs__add_read(struct cache_pairs *p, const struct io_row *row);
/* Estimated: of the 4 KiB blocks that devices read for files, those read before; 0 if they are few. */
double cache_pairs__reread_pct(const struct cache_pairs *p);
/*
 * Estimated: how many of the `evicted_pages` of all files were read again. All, if no evicted file was
 * seen to be read.
 */
uint64_t cache_pairs__evicted_again(const struct cache_pairs *p, uint64_t evicted_pages);
/* Only tasks for which `counts` is true are considered. */
struct cache_eviction cache_pairs__eviction(const struct cache_pairs *p,
					    bool (*counts)(uint32_t task, const void *context),
					    const void *context);
/*
 * Fills *most. `command_of` gives the name of a task's command, or NULL for a task that does not
 * count. 0 or -ENOMEM.
 */
int cache_pairs__dropping(const struct cache_pairs *p,
			  const char *(*command_of)(uint32_t task, const void *context),
			  const void *context, struct cache_dropping *most);

#endif
