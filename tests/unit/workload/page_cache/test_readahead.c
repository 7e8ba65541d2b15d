// SPDX-License-Identifier: MIT
/* Windows of readahead at their borders, as mm/readahead.c of Linux has them. */
#include "unit/shared/test.h"
#include "workload/page_cache/readahead.h"

#define MAX_PAGES 32

static struct readahead_window at_no_mark(uint64_t cached_after)
{
	struct readahead r = {0};

	return readahead_continue(&r, 100, 1, cached_after, MAX_PAGES);
}

static void a_full_window_of_cached_pages_needs_no_more(void)
{
	CHECK_EQ(at_no_mark(MAX_PAGES).pages, 0);
	CHECK_EQ(at_no_mark(MAX_PAGES + 1).pages, 0);
}

static void one_page_less_is_followed_by_a_window(void)
{
	const struct readahead_window window = at_no_mark(MAX_PAGES - 1);

	CHECK_EQ(window.start, 100 + MAX_PAGES);
	CHECK_EQ(window.pages, MAX_PAGES);
	CHECK_EQ(window.ahead_pages, MAX_PAGES);
}

int main(void)
{
	RUN(a_full_window_of_cached_pages_needs_no_more);
	RUN(one_page_less_is_followed_by_a_window);
	return TEST_RESULT;
}
