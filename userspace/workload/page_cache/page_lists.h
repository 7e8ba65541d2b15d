/* SPDX-License-Identifier: MIT */
/*
 * A page cache of a given size as Linux keeps it, without its contents: an inactive and an active list,
 * and of each page that was evicted the age at which it went. A page comes into the inactive list, or,
 * when it comes back before more others were evicted and activated than the active list holds, into the
 * active one; a second access while it is inactive activates it. (mm/swap.c: folio_mark_accessed();
 * mm/workingset.c: workingset_eviction(), workingset_refault(), workingset_test_recent(); mm/vmscan.c:
 * shrink_lruvec(), inactive_is_low(). Without MGLRU; of clean pages that nobody maps.)
 *
 * Pages are small numbers that the caller gives out.
 */
#ifndef BLKREEL_WORKLOAD_PAGE_CACHE_PAGE_LISTS_H
#define BLKREEL_WORKLOAD_PAGE_CACHE_PAGE_LISTS_H

#include <stdbool.h>
#include <stdint.h>

struct page_lists;

/* 0 or -ENOMEM. A cache of 0 pages holds one. */
int page_lists__create(uint64_t capacity_pages, struct page_lists **lists);
void page_lists__free(struct page_lists *l); /* NULL is allowed */

/* From now on pages below `pages` may be named. 0 or -ENOMEM. */
int page_lists__grow(struct page_lists *l, uint32_t pages);

bool page_lists__holds(const struct page_lists *l, uint32_t page);

/* Brings a page that is not held; makes room first. */
void page_lists__bring(struct page_lists *l, uint32_t page);

/* A page that is held was read. */
void page_lists__access(struct page_lists *l, uint32_t page);

/* The page is gone, not for want of memory, or its number is to be used for another one. */
void page_lists__forget(struct page_lists *l, uint32_t page);

/* Evicts what is too much. */
void page_lists__resize(struct page_lists *l, uint64_t capacity_pages);

/* Where readahead is to begin its next window: the kernel's PG_readahead. Of a page that is held. */
void page_lists__mark(struct page_lists *l, uint32_t page);
bool page_lists__take_mark(struct page_lists *l, uint32_t page);

uint32_t page_lists__held(const struct page_lists *l);

#endif
