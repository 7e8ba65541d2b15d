// SPDX-License-Identifier: MIT
#include "workload/page_cache/readahead.h"

/* A read longer than a window is read at once, up to the largest request of the device. */
#define REQUEST_MAX_PAGES 320u

static uint64_t at_most(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t window_max(uint64_t wanted_pages, uint64_t max)
{
	uint64_t whole = at_most(wanted_pages, REQUEST_MAX_PAGES);

	return whole > max ? whole : max;
}

static uint64_t first_size(uint64_t wanted_pages, uint64_t max)
{
	uint64_t pages = 1;

	while (pages < wanted_pages && pages < max)
		pages *= 2;
	if (pages <= max / 32)
		return pages * 4;
	return pages <= max / 4 ? pages * 2 : max;
}

static uint64_t next_size(uint64_t pages, uint64_t max)
{
	if (pages < max / 16)
		return 4 * pages;
	return pages <= max / 2 ? 2 * pages : max;
}

static struct readahead_window whole_window(const struct readahead *r)
{
	return (struct readahead_window){r->start, r->pages, r->ahead_pages};
}

struct readahead_window readahead_miss(struct readahead *r, uint64_t page, uint64_t wanted_pages,
				       uint64_t previous_page, uint64_t cached_before,
				       uint64_t max_pages)
{
	uint64_t max = window_max(wanted_pages, max_pages);

	if (!page || wanted_pages > max || page - previous_page <= 1) {
		r->pages = first_size(wanted_pages, max);
		r->ahead_pages = r->pages > wanted_pages ? r->pages - wanted_pages : r->pages / 2;
	} else if (cached_before <= wanted_pages) {
		return (struct readahead_window){page, at_most(wanted_pages, max), 0};
	} else {
		if (cached_before >= page)
			cached_before *= 2;
		r->pages = at_most(cached_before + wanted_pages, max);
		r->ahead_pages = 1;
	}
	r->start = page;
	return whole_window(r);
}

struct readahead_window readahead_continue(struct readahead *r, uint64_t page,
					   uint64_t wanted_pages, uint64_t cached_after,
					   uint64_t max_pages)
{
	uint64_t max = window_max(wanted_pages, max_pages);

	if (page == r->start + r->pages - r->ahead_pages) {
		r->start += r->pages;
		r->pages = next_size(r->pages, max);
	} else if (cached_after >= max) {
		return (struct readahead_window){0};
	} else {
		r->start = page + 1 + cached_after;
		r->pages = next_size(1 + cached_after + wanted_pages, max);
	}
	r->ahead_pages = r->pages;
	return whole_window(r);
}
