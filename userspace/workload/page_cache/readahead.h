/* SPDX-License-Identifier: MIT */
/*
 * Models Linux' readahead: the window of one open file (mm/readahead.c: page_cache_sync_ra(),
 * page_cache_async_ra(), get_init_ra_size(), get_next_ra_size()). Pages are numbered from the
 * beginning of the file.
 */
#ifndef BLKREEL_WORKLOAD_PAGE_CACHE_READAHEAD_H
#define BLKREEL_WORKLOAD_PAGE_CACHE_READAHEAD_H

#include <stdint.h>

struct readahead {
	uint64_t start, pages; /* the last window */
	uint64_t ahead_pages;  /* when this many pages are left, the next window starts */
};

/* The pages to read now. */
struct readahead_window {
	uint64_t start, pages; /* pages 0: nothing */
	uint64_t ahead_pages;  /* 0: no page is marked */
};

/*
 * The window when `page` is missing and `wanted_pages` (at least 1) from there are to be read.
 * `previous_page`: that of the byte after the last read of this file. `cached_before`: cached pages
 * directly before `page`, counted up to `max_pages`, the size of a full window (at least 1).
 */
struct readahead_window readahead_miss(struct readahead *r, uint64_t page, uint64_t wanted_pages,
				       uint64_t previous_page, uint64_t cached_before,
				       uint64_t max_pages);

/*
 * The window when the reader reaches the marked page, `page`. `cached_after`: cached pages directly
 * after it, counted likewise.
 */
struct readahead_window readahead_continue(struct readahead *r, uint64_t page,
					   uint64_t wanted_pages, uint64_t cached_after,
					   uint64_t max_pages);

#endif
