// SPDX-License-Identifier: MIT
/* What engines that ran at the same time did together. */
#include "replay/engine/result.h"
#include "base/units.h"
#include "replay/engine/huge_pages.h"
#include "unit/shared/test.h"

static struct engine_result all, one;

static void waiting_for_a_cpu_is_that_of_the_thread_that_waited_longest(void)
{
	static const uint64_t waits_ns[] = {300, 400, 100, 200};

	engine_result__init(&all);
	engine_result__init(&one);
	for (unsigned int i = 0; i < 4; i++) {
		one.duration_ns = 500;
		one.cpu_wait_ns = waits_ns[i];
		one.user_ns = 50;
		engine_result__merge(&all, &one);
	}
	CHECK_EQ(all.cpu_wait_ns, 400);
	CHECK_EQ(all.user_ns, 200);
	CHECK_EQ(all.duration_ns, 500);
}

static void check_limit(uint64_t segment_bytes, uint64_t run_bytes, uint64_t whole_bytes,
			bool small_pages)
{
	const struct io_limits limits = {
		.io_bytes = 1048576, .segments = 128, .segment_bytes = segment_bytes};

	engine_result__init(&one);
	engine_result__set_whole_bytes(&one, &limits, run_bytes);
	CHECK_EQ(one.whole_bytes, whole_bytes);
	CHECK_EQ(one.small_pages, small_pages);
}

static void small_pages_are_named_where_huge_ones_would_do_more(void)
{
	check_limit(65536, HUGE_PAGE_BYTES, 1048576, false);
	check_limit(65536, PAGE_BYTES, 524288, true);
	/* This device takes no more from huge pages. */
	check_limit(4096, HUGE_PAGE_BYTES, 524288, false);
	check_limit(4096, PAGE_BYTES, 524288, false);
}

static void merge_limit(uint64_t whole_bytes, bool small_pages)
{
	engine_result__init(&one);
	one.whole_bytes = whole_bytes;
	one.small_pages = small_pages;
	engine_result__merge(&all, &one);
}

static void small_pages_are_those_of_the_lowest_limit(void)
{
	engine_result__init(&all);
	merge_limit(0, false);
	CHECK_EQ(all.whole_bytes, 0);
	merge_limit(1048576, false);
	CHECK_EQ(all.whole_bytes, 1048576);
	CHECK(!all.small_pages);
	merge_limit(524288, true);
	CHECK_EQ(all.whole_bytes, 524288);
	CHECK(all.small_pages);
	merge_limit(65536, false);
	CHECK_EQ(all.whole_bytes, 65536);
	CHECK(!all.small_pages);
	merge_limit(524288, true);
	CHECK(!all.small_pages);
}

int main(void)
{
	RUN(small_pages_are_named_where_huge_ones_would_do_more);
	RUN(small_pages_are_those_of_the_lowest_limit);
	RUN(waiting_for_a_cpu_is_that_of_the_thread_that_waited_longest);
	return TEST_RESULT;
}
