/* SPDX-License-Identifier: MIT */
/*
 * What the page cache would have done at several sizes: the recorded accesses to files, played to a model of it per
 * size (page_lists.h, readahead.h). Not a stack distance: Linux does not evict by LRU, and what it
 * reads ahead depends on what it still has.
 *
 * Memory is bounded: beyond some number of pages a spatial sample is followed, halved as often as
 * needed, in caches of as much less (Waldspurger et al., "Efficient MRC construction with SHARDS", FAST 2015; "Cache
 * modeling and optimization using miniature simulations", ATC 2017). The sample is of pieces of CACHE_CHUNK_PAGES, so that
 * what belongs to one readahead mostly stays together.
 */
#ifndef BLKREEL_WORKLOAD_PAGE_CACHE_CACHE_MODEL_H
#define BLKREEL_WORKLOAD_PAGE_CACHE_CACHE_MODEL_H

#include <stdint.h>

#include "trace/rows.h"

#define CACHE_MODEL_SIZES     4u
#define CACHE_MODEL_PRESENT   1u	 /* the size that was recorded */
#define CACHE_MODEL_PAGES_MAX (1u << 20) /* 4 GiB of distinct pages; some 100 MB */
#define CACHE_CHUNK_PAGES     64u

struct cache_model;

/* 0 or -ENOMEM. capacity_pages: of each cache. */
int cache_model__create(const uint64_t capacity_pages[CACHE_MODEL_SIZES], uint32_t pages_max,
			struct cache_model **model);
void cache_model__free(struct cache_model *m); /* NULL is allowed */

/*
 * In the order of time. readahead_max_pages: a full window of the file's device. Rows that name no file and
 * those whose counts contradict their range are ignored. 0 or -ENOMEM.
 */
int cache_model__add(struct cache_model *m, const struct access_row *row,
		     uint64_t readahead_max_pages);

/* Of reads and page faults, in pages of 4 KiB. */
struct cache_model_counts {
	uint64_t read_pages;	  /* touched */
	uint64_t missed_pages;	  /* of these: not there when they were asked for */
	uint64_t readahead_pages; /* brought beside them */
};

struct cache_model_result {
	struct cache_model_counts recorded; /* of the rows themselves */
	struct cache_model_counts sizes[CACHE_MODEL_SIZES];
	uint64_t distinct_pages;
	uint64_t
		there_before_pages; /* first touched as a hit that nothing in the rows had brought */
	uint32_t sampled_one_in;    /* 1: all pages were followed */
};

void cache_model__result(const struct cache_model *m, struct cache_model_result *result);

#endif
