/* SPDX-License-Identifier: MIT */
/* Small numbers for pages of files; the number of a dropped page is reused. */
#ifndef BLKREEL_WORKLOAD_PAGE_CACHE_PAGE_NUMBERS_H
#define BLKREEL_WORKLOAD_PAGE_CACHE_PAGE_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "workload/lru/block_map.h"

struct page_numbers {
	struct block_map map;
	uint64_t *keys; /* by number; for a free number the next free one */
	uint32_t allocated;
	uint32_t end;  /* numbers from here on were never used */
	uint32_t free; /* UINT32_MAX: none */
	uint32_t used;
};

int page_numbers__init(struct page_numbers *n); /* 0 or -ENOMEM */
void page_numbers__release(struct page_numbers *n);

/* `file` below 2^23, `page` below 2^40. */
static inline uint64_t page_key(uint32_t file, uint64_t page)
{
	return (uint64_t)file << 40 | page;
}

static inline bool page_numbers__find(const struct page_numbers *n, uint64_t key, uint32_t *number)
{
	return block_map_get(&n->map, key, number);
}

/* Assigns a number to a page that has none; it is below n->end afterwards. 0 or -ENOMEM. */
int page_numbers__assign(struct page_numbers *n, uint64_t key, uint32_t *number);

/* Frees the number of a page for reuse. */
void page_numbers__drop(struct page_numbers *n, uint64_t key, uint32_t number);

#endif
