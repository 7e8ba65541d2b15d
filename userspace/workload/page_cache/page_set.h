/* SPDX-License-Identifier: MIT */
/* A set of pages of files, in pieces of PAGE_SET_PIECE: 28 bytes for a piece, whatever it holds. */
#ifndef BLKREEL_WORKLOAD_PAGE_CACHE_PAGE_SET_H
#define BLKREEL_WORKLOAD_PAGE_CACHE_PAGE_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "workload/lru/block_map.h"

#define PAGE_SET_PIECE 64u /* pages */

struct page_set {
	struct block_map map; /* number of a piece, by key / PAGE_SET_PIECE */
	struct page_set_piece {
		uint64_t key; /* of its first page */
		uint64_t bits;
	} * pieces;
	uint32_t count, allocated;
};

int page_set__init(struct page_set *s); /* 0 or -ENOMEM */
void page_set__release(struct page_set *s);

/* Adds the page with this key (page_key()); *is_new: it was not there. 0 or -ENOMEM. */
int page_set__add(struct page_set *s, uint64_t key, bool *is_new);

/* Keeps the pieces for which `keeps(context, key of its first page)`. 0 or -ENOMEM. */
int page_set__keep(struct page_set *s, bool (*keeps)(const void *context, uint64_t key),
		   const void *context);

#endif
