/* SPDX-License-Identifier: MIT */
/*
 * Simulates the page cache at several sizes: plays the recorded file accesses to one model per size
 * (page_lists.h, readahead.h). A stack distance would not do: Linux does not evict by LRU, and its
 * readahead depends on what is cached. Memory is bounded: beyond some number of pages the model
 * follows a spatial sample, halved as often as needed, in caches that are smaller by the same
 * factor (Waldspurger et al., "Efficient MRC construction with SHARDS", FAST 2015; "Cache modeling
 * and optimization using miniature simulations", ATC 2017). The sample consists of pieces of
 * CACHE_CHUNK_PAGES, so that the pages of one readahead mostly stay together.
 */
#ifndef BLKREEL_WORKLOAD_PAGE_CACHE_CACHE_MODEL_H
#define BLKREEL_WORKLOAD_PAGE_CACHE_CACHE_MODEL_H

#include <stdint.h>

#include "trace/rows.h"

#define CACHE_MODEL_SIZES     4u
#define CACHE_MODEL_PRESENT   1u	 /* the recorded size */
#define CACHE_MODEL_PAGES_MAX (1u << 20) /* 4 GiB of distinct pages; some 100 MB */
#define CACHE_CHUNK_PAGES     64u

struct cache_model;

/* `capacity_pages`: of each cache. `pages_max`: distinct pages before it samples. 0 or -ENOMEM. */
int cache_model__create(const uint64_t capacity_pages[CACHE_MODEL_SIZES], uint32_t pages_max,
			struct cache_model **model);
void cache_model__free(struct cache_model *m); /* NULL is allowed */

/*
 * Adds an access, in order of time. `readahead_max_pages`: a full window of the file's device.
 * Ignores rows without a file and rows whose counts contradict their range. 0 or -ENOMEM.
 */
int cache_model__add(struct cache_model *m, const struct access_row *row,
		     uint64_t readahead_max_pages);

/* Reads and page faults, in pages of 4 KiB. */
struct cache_model_counts {
	uint64_t read_pages;	  /* touched */
	uint64_t missed_pages;	  /* of these: not cached */
	uint64_t readahead_pages; /* read ahead */
};

struct cache_model_result {
	struct cache_model_counts recorded; /* the counts of the rows */
	struct cache_model_counts sizes[CACHE_MODEL_SIZES];
	uint64_t distinct_pages;      /* touched by reads and faults; each once */
	uint64_t cached_before_pages; /* first touched as a hit, though no row had read them */
	uint32_t sampled_one_in;      /* 1: all pages */
};

/* Fills the results of the rows so far. */
void cache_model__result(const struct cache_model *m, struct cache_model_result *result);

#endif
