/* SPDX-License-Identifier: MIT */
/*
 * A model of Linux' page cache of a given size, without contents: an inactive and an active list,
 * and the age at which each evicted page was evicted. A page enters the inactive list. If it
 * returns before more other pages were evicted and activated than the active list holds, it enters
 * the active list. A second access to an inactive page activates it. (mm/swap.c:
 * folio_mark_accessed(); mm/workingset.c: workingset_eviction(), workingset_refault(),
 * workingset_test_recent(); mm/vmscan.c: shrink_lruvec(), inactive_is_low(). Without MGLRU; clean,
 * unmapped pages.) The caller numbers the pages with small numbers.
 */
#ifndef BLKREEL_WORKLOAD_PAGE_CACHE_PAGE_LISTS_H
#define BLKREEL_WORKLOAD_PAGE_CACHE_PAGE_LISTS_H

#include <stdbool.h>
#include <stdint.h>

struct page_lists;

/* 0 or -ENOMEM. A cache of 0 pages holds one. */
int page_lists__create(uint64_t capacity_pages, struct page_lists **lists);
void page_lists__free(struct page_lists *l); /* NULL is allowed */

/* Makes all page numbers below `pages` valid. 0 or -ENOMEM. */
int page_lists__grow(struct page_lists *l, uint32_t pages);

/* Whether the page is in the cache. */
bool page_lists__holds(const struct page_lists *l, uint32_t page);

/* Inserts a page that is not held; evicts others first if the cache is full. */
void page_lists__insert(struct page_lists *l, uint32_t page);

/* A page that is held was accessed. */
void page_lists__access(struct page_lists *l, uint32_t page);

/* Removes a page without an age: it was invalidated, or its number is reused. */
void page_lists__forget(struct page_lists *l, uint32_t page);

/*
 * Changes the capacity; evicts pages above it. From now on the lists are a sample: each page stands for
 * 2^sample_bits pages of the cache, whose capacity is given.
 */
void page_lists__resize(struct page_lists *l, uint64_t capacity_pages, unsigned int sample_bits);

/*
 * Marks a page that is held as the kernel's PG_readahead does: reading it starts the next window.
 */
void page_lists__mark(struct page_lists *l, uint32_t page);
bool page_lists__take_mark(struct page_lists *l, uint32_t page);

/* The count of pages in the cache. */
uint32_t page_lists__held(const struct page_lists *l);

#endif
