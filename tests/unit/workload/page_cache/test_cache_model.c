// SPDX-License-Identifier: MIT
#include <stdint.h>

#include "profile/prng.h"
#include "unit/shared/test.h"
#include "workload/page_cache/cache_model.h"
#include "workload/page_cache/page_lists.h"
#include "workload/page_cache/readahead.h"

static struct page_lists *lists_of(uint64_t capacity, uint32_t pages)
{
	struct page_lists *l;

	if (page_lists__create(capacity, &l) || page_lists__grow(l, pages))
		abort();
	return l;
}

static void a_page_accessed_twice_is_not_yet_active(void)
{
	struct page_lists *l = lists_of(4, 8);

	for (uint32_t page = 0; page < 4; page++)
		page_lists__insert(l, page);
	page_lists__access(l, 0);
	page_lists__insert(l, 4);
	CHECK(!page_lists__holds(l, 0));
	CHECK(page_lists__holds(l, 1));
	page_lists__free(l);
}

static void a_page_read_again_soon_is_active(void)
{
	struct page_lists *l = lists_of(4, 8);

	for (uint32_t page = 0; page < 4; page++)
		page_lists__insert(l, page);
	for (uint32_t page = 0; page < 2; page++) {
		page_lists__access(l, page);
		page_lists__access(l, page);
	}
	page_lists__insert(l, 4); /* evicts 2, the oldest that is inactive */
	CHECK(!page_lists__holds(l, 2));
	CHECK(page_lists__holds(l, 3));
	page_lists__insert(
		l, 2); /* evicts 3; two evictions, two active pages: it would have been kept */
	CHECK(!page_lists__holds(l, 3));
	page_lists__insert(
		l, 5); /* the inactive list is the shorter one: 0 goes there, 4 is evicted */
	CHECK(page_lists__holds(l, 0));
	CHECK(!page_lists__holds(l, 4));
	CHECK_EQ(page_lists__held(l), 4);
	page_lists__insert(l, 6); /* 0 is the oldest there; 1 and 2 are active */
	CHECK(!page_lists__holds(l, 0));
	CHECK(page_lists__holds(l, 1));
	CHECK(page_lists__holds(l, 2));
	page_lists__free(l);
}

static void a_page_read_again_late_is_not(void)
{
	struct page_lists *l = lists_of(4, 8);

	for (uint32_t page = 0; page < 4; page++)
		page_lists__insert(l, page);
	page_lists__access(l, 3);
	page_lists__access(l, 3);
	page_lists__insert(l, 4); /* evicts 0 */
	page_lists__insert(l, 0); /* evicts 1; two evictions, but one active page */
	CHECK(page_lists__holds(l, 0));
	CHECK(!page_lists__holds(l, 1));
	for (uint32_t page = 5; page < 8; page++) /* evict 2, 4 and 0, in their order */
		page_lists__insert(l, page);
	CHECK(!page_lists__holds(l, 0));
	CHECK(page_lists__holds(l, 3));
	page_lists__free(l);
}

static void pages_evicted_long_ago_count_as_new(void)
{
	struct page_lists *l = lists_of(4, 8);

	for (uint32_t page = 0; page < 4; page++) {
		page_lists__insert(l, page);
		page_lists__access(l, page);
		page_lists__access(l, page);
	}
	page_lists__mark(l, 2);
	CHECK(page_lists__take_mark(l, 2));
	CHECK(!page_lists__take_mark(l, 2));
	page_lists__forget(l, 2);
	CHECK_EQ(page_lists__held(l), 3);
	page_lists__insert(l, 2);
	page_lists__insert(l, 4); /* evicts 2, which alone is not active */
	CHECK(!page_lists__holds(l, 2));
	CHECK(page_lists__holds(l, 0));
	page_lists__resize(l, 1, 0);
	CHECK_EQ(page_lists__held(l), 1);
	page_lists__free(l);
}

/*
 * 90 % of a cache of 64 GiB is active when a scan of twice its size begins. The kernel takes active pages if
 * these are more than sqrt(10 * 64) = 25 times the inactive ones, of 2 GiB more than 4 times.
 */
static void a_sample_keeps_the_active_list_as_the_whole_cache_does(void)
{
	const uint32_t pages = 1u << 19, active = pages / 10 * 9;
	struct page_lists *l = lists_of(pages, 3 * pages);

	page_lists__resize(l, (uint64_t)pages << 5, 5);
	for (uint32_t page = 0; page < active; page++) {
		page_lists__insert(l, page);
		page_lists__access(l, page);
		page_lists__access(l, page);
	}
	for (uint32_t page = active; page < 3 * pages; page++)
		page_lists__insert(l, page);
	CHECK(page_lists__holds(l, 0));
	CHECK(page_lists__holds(l, active - 1));
	page_lists__resize(l, pages, 0);
	for (uint32_t page = active; page < 3 * pages; page++)
		if (!page_lists__holds(l, page))
			page_lists__insert(l, page);
	CHECK(!page_lists__holds(l, 0));
	page_lists__free(l);
}

static void readahead_windows_grow(void)
{
	struct readahead r = {0};
	struct readahead_window w = readahead_miss(&r, 0, 1, 0, 0, 32);

	CHECK_EQ(w.pages, 4);
	CHECK_EQ(w.ahead_pages, 3);
	w = readahead_continue(&r, 1, 1, 2, 32);
	CHECK_EQ(w.start, 4);
	CHECK_EQ(w.pages, 8);
	w = readahead_continue(&r, 4, 1, 7, 32);
	CHECK_EQ(w.start, 12);
	CHECK_EQ(w.pages, 16);
	w = readahead_miss(&r, 1000, 1, 5, 1, 32); /* at random */
	CHECK_EQ(w.start, 1000);
	CHECK_EQ(w.pages, 1);
	CHECK_EQ(w.ahead_pages, 0);
	CHECK_EQ(r.start, 12);
	w = readahead_miss(&r, 1000, 1, 5, 3,
			   32); /* three before it are cached: a sequential reader */
	CHECK_EQ(w.pages, 4);
	CHECK_EQ(w.ahead_pages, 1);
	w = readahead_miss(&r, 2000, 256, 5, 0, 32);
	CHECK_EQ(w.pages, 256);
	/* A read as large as the window: half of it is ahead (page_cache_sync_ra() of Linux). */
	w = readahead_miss(&r, 0, 32, 0, 0, 32);
	CHECK_EQ(w.pages, 32);
	CHECK_EQ(w.ahead_pages, 16);
}

static const uint64_t sizes_5_to_40[] = {5, 10, 20, 40};
static const uint64_t sizes_256_to_2048[] = {256, 512, 1024, 2048};

static struct cache_model *model_of(const uint64_t *sizes, uint32_t pages_max)
{
	struct cache_model *m;

	if (cache_model__create(sizes, pages_max, &m))
		abort();
	return m;
}

static void add_read(struct cache_model *m, uint64_t page, uint64_t hit, uint64_t miss,
		     uint64_t readahead)
{
	struct access_row row = {.time_ns = 1,
				 .offset = page * 4096,
				 .bytes = (hit + miss) * 4096,
				 .hit_pages = hit,
				 .miss_pages = miss,
				 .readahead_pages = readahead,
				 .file = 7,
				 .task = 3};

	CHECK_EQ(cache_model__add(m, &row, 32), 0);
}

static struct cache_model_result result_of(struct cache_model *m)
{
	struct cache_model_result result;

	cache_model__result(m, &result);
	cache_model__free(m);
	return result;
}

/* Without readahead a cache smaller than the loop has no hits. */
static void a_loop_fits_or_does_not(void)
{
	struct cache_model *m = model_of(sizes_5_to_40, 1000);
	struct cache_model_result r;

	for (unsigned int pass = 0; pass < 3; pass++)
		for (uint64_t page = 0; page < 20; page++)
			add_read(m, page, 0, 1, 0);
	r = result_of(m);
	CHECK_EQ(r.distinct_pages, 20);
	CHECK_EQ(r.sampled_one_in, 1);
	CHECK_EQ(r.recorded.read_pages, 60);
	CHECK_EQ(r.recorded.missed_pages, 60);
	CHECK_EQ(r.sizes[0].missed_pages, 60);
	CHECK_EQ(r.sizes[1].missed_pages, 60);
	CHECK_EQ(r.sizes[2].missed_pages, 20);
	CHECK_EQ(r.sizes[3].missed_pages, 20);
	CHECK_EQ(r.sizes[0].read_pages, 60);
	CHECK_EQ(r.sizes[0].readahead_pages, 0);
}

/* 12 pages in order, as the kernel reads them: 1 + 3, then 8 when the second page is met. */
static void readahead_is_modelled(void)
{
	struct cache_model *m = model_of(sizes_5_to_40, 1000);
	struct cache_model_result r;

	add_read(m, 0, 0, 1, 3);
	add_read(m, 1, 1, 0, 8);
	for (uint64_t page = 2; page < 12; page++)
		add_read(m, page, 1, 0, 0);
	r = result_of(m);
	for (unsigned int i = 2; i < CACHE_MODEL_SIZES; i++) {
		CHECK_EQ(r.sizes[i].missed_pages, 1);
		CHECK_EQ(r.sizes[i].readahead_pages, 11);
	}
	CHECK_EQ(r.recorded.readahead_pages, 11);
	CHECK_EQ(r.distinct_pages, 12);
	CHECK_EQ(r.cached_before_pages, 0);
}

/* Half of the window lies before the page, also near the start of the file, where it is cut. */
static void a_fault_reads_the_pages_around_it(void)
{
	static const struct {
		uint64_t fault, first, last;
	} cases[] = {{100, 84, 115}, {7, 0, 31}};

	for (unsigned int i = 0; i < 2; i++) {
		struct cache_model *m = model_of(sizes_256_to_2048, 4096);
		struct access_row row = {.time_ns = 1,
					 .offset = cases[i].fault * 4096,
					 .bytes = 4096,
					 .miss_pages = 1,
					 .readahead_pages = 31,
					 .op = ACCESS_FAULT,
					 .file = 7,
					 .task = 3};
		struct cache_model_result r;

		CHECK_EQ(cache_model__add(m, &row, 32), 0);
		for (uint64_t page = cases[i].first; page <= cases[i].last; page++)
			add_read(m, page, 1, 0, 0);
		r = result_of(m);
		CHECK_EQ(r.sizes[3].missed_pages, 1);
		CHECK_EQ(r.sizes[3].readahead_pages, 31);
		CHECK_EQ(r.cached_before_pages, 0);
	}
}

/* Reads of 1 MiB, longer than a window: the kernel reads the first at once, and then ahead, also of
 * pages that the reader has already asked for. */
static void long_reads_are_read_ahead(void)
{
	struct cache_model *m = model_of(sizes_256_to_2048, 4096);
	struct cache_model_result r;

	add_read(m, 0, 0, 256, 256);
	for (uint64_t page = 256; page < 1024; page += 256)
		add_read(m, page, 256, 0, page < 768 ? 256 : 0);
	r = result_of(m);
	CHECK_EQ(r.recorded.missed_pages, 256);
	CHECK_EQ(r.sizes[3].missed_pages, 256);
	CHECK_EQ(r.sizes[3].readahead_pages, 768);
	CHECK_EQ(r.cached_before_pages, 0);
}

static void a_page_cached_before_is_a_hit(void)
{
	struct cache_model *m = model_of(sizes_5_to_40, 1000);
	struct cache_model_result r;

	add_read(m, 100, 2, 0, 0);
	add_read(m, 200, 0, 1, 0);
	add_read(m, 100, 2, 0, 0);
	r = result_of(m);
	CHECK_EQ(r.cached_before_pages, 2);
	for (unsigned int i = 0; i < CACHE_MODEL_SIZES; i++)
		CHECK_EQ(r.sizes[i].missed_pages, 1);
}

/* The row explains three pages that the model would not have read; the fourth is unexplained. */
static void recorded_readahead_without_a_window_is_kept(void)
{
	struct cache_model *m = model_of(sizes_5_to_40, 1000);
	struct cache_model_result r;

	add_read(m, 100, 0, 1, 3);
	for (uint64_t page = 300; page < 304; page++)
		add_read(m, page, 1, 0, 0);
	r = result_of(m);
	CHECK_EQ(r.cached_before_pages, 1);
	for (unsigned int i = 0; i < CACHE_MODEL_SIZES; i++) {
		CHECK_EQ(r.sizes[i].missed_pages, 1);
		CHECK_EQ(r.sizes[i].readahead_pages, 3);
	}
}

/* 64 pages by sendfile: the first piece of 16 is missed, the others were read ahead. */
static void a_splice_reads_in_pieces(void)
{
	static const uint64_t sizes[] = {100, 200, 400, 800};
	struct cache_model *m = model_of(sizes, 1000);
	struct access_row row = {.time_ns = 1,
				 .file = 7,
				 .op = ACCESS_SPLICE,
				 .bytes = 64 * 4096,
				 .hit_pages = 48,
				 .miss_pages = 16,
				 .readahead_pages = 48};
	struct cache_model_result r;

	CHECK_EQ(cache_model__add(m, &row, 32), 0);
	r = result_of(m);
	for (unsigned int i = 0; i < CACHE_MODEL_SIZES; i++) {
		CHECK_EQ(r.sizes[i].missed_pages, 16);
		CHECK_EQ(r.sizes[i].readahead_pages, 48);
	}
	CHECK_EQ(r.distinct_pages, 64);
}

static void a_page_dropped_and_read_again_is_the_same_page(void)
{
	struct access_row drop = {.time_ns = 1, .file = 7, .op = ACCESS_INVALIDATE, .bytes = 40960};
	struct cache_model *m = model_of(sizes_5_to_40, 1000);
	struct cache_model_result r;

	for (unsigned int pass = 0; pass < 4; pass++) {
		add_read(m, 0, 0, 10, 0);
		CHECK_EQ(cache_model__add(m, &drop, 32), 0);
	}
	r = result_of(m);
	CHECK_EQ(r.distinct_pages, 10);
	CHECK_EQ(r.sizes[3].missed_pages, 40);
}

static void written_pages_are_not_counted_as_read(void)
{
	struct access_row row = {
		.time_ns = 1, .file = 8, .op = ACCESS_WRITE, .bytes = 40960, .miss_pages = 10};
	struct cache_model *m = model_of(sizes_5_to_40, 1000);

	CHECK_EQ(cache_model__add(m, &row, 32), 0);
	add_read(m, 0, 0, 4, 0);
	CHECK_EQ(result_of(m).distinct_pages, 4);
}

/* Dropped pages must not keep memory without bound, nor be counted twice by the sample. */
static void distinct_pages_of_a_sample(void)
{
	struct access_row drop = {
		.time_ns = 1, .file = 7, .op = ACCESS_INVALIDATE, .bytes = 1ull << 32};
	struct cache_model *m = model_of(sizes_5_to_40, 500);
	struct cache_model_result r;

	for (unsigned int pass = 0; pass < 2; pass++) {
		for (uint64_t piece = 0; piece < 4000; piece++)
			add_read(m, piece * CACHE_CHUNK_PAGES, 0, 1, 0);
		CHECK_EQ(cache_model__add(m, &drop, 32), 0);
	}
	r = result_of(m);
	CHECK(r.sampled_one_in > 1);
	CHECK(r.distinct_pages > 3000 && r.distinct_pages < 5000);
}

static void truncated_pages_are_read_again(void)
{
	struct access_row row = {.time_ns = 1, .file = 7, .op = ACCESS_INVALIDATE};
	struct cache_model *m = model_of(sizes_5_to_40, 1000);

	add_read(m, 2, 0, 2, 0);
	row.offset = 2 * 4096;
	row.bytes = 4096;
	CHECK_EQ(cache_model__add(m, &row, 32), 0);
	add_read(m, 2, 1, 1, 0);
	row.op = ACCESS_TRUNCATE;
	row.offset = 3 * 4096 + 1; /* page 3 stays */
	row.bytes = 0;
	CHECK_EQ(cache_model__add(m, &row, 32), 0);
	add_read(m, 3, 1, 0, 0);
	row.offset = 0;
	CHECK_EQ(cache_model__add(m, &row, 32), 0);
	add_read(m, 3, 0, 1, 0);
	CHECK_EQ(result_of(m).sizes[3].missed_pages, 4);
}

static void a_write_fills_pages_and_is_no_read(void)
{
	struct access_row row = {
		.time_ns = 1, .file = 7, .op = ACCESS_WRITE, .bytes = 8192, .miss_pages = 2};
	struct cache_model *m = model_of(sizes_5_to_40, 1000);
	struct cache_model_result r;

	CHECK_EQ(cache_model__add(m, &row, 32), 0);
	add_read(m, 0, 2, 0, 0);
	r = result_of(m);
	CHECK_EQ(r.recorded.read_pages, 2);
	CHECK_EQ(r.sizes[0].missed_pages, 0);
	CHECK_EQ(r.cached_before_pages, 0);
}

static void odd_rows_are_ignored(void)
{
	struct access_row row = {
		.time_ns = 1, .file = 7, .offset = UINT64_MAX, .bytes = UINT64_MAX};
	struct cache_model *m = model_of(sizes_5_to_40, 1000);

	for (row.op = 0; row.op < ACCESS_OP_COUNT; row.op++)
		CHECK_EQ(cache_model__add(m, &row, 32), 0);
	row.offset = 0;
	for (row.op = 0; row.op < ACCESS_OP_COUNT; row.op++)
		CHECK_EQ(cache_model__add(m, &row, 32), 0);
	row.bytes = 4096;
	row.readahead_pages = UINT64_MAX;
	row.file = UINT32_MAX;
	for (row.op = 0; row.op < ACCESS_OP_COUNT; row.op++)
		CHECK_EQ(cache_model__add(m, &row, 32), 0);
	CHECK_EQ(result_of(m).recorded.read_pages, 0);
}

/* 60,000 reads of 16,384 pages, the third power of a random number leads to a few of them. */
static struct cache_model_result skewed(uint32_t pages_max)
{
	static const uint64_t sizes[] = {2000, 4000, 8000, 16000};
	struct cache_model *m = model_of(sizes, pages_max);
	struct prng p;

	prng_seed(&p, 5);
	for (unsigned int i = 0; i < 60000; i++) {
		double u = (double)prng_below(&p, 1u << 30) / (1u << 30);

		add_read(m, (uint64_t)(u * u * u * 16384) * 2654435761u % 16384, 0, 1, 0);
	}
	return result_of(m);
}

static void a_sample_is_near_the_exact_result(void)
{
	struct cache_model_result exact = skewed(1u << 20), sampled = skewed(4096);

	CHECK_EQ(exact.sampled_one_in, 1);
	CHECK(sampled.sampled_one_in >= 4);
	for (unsigned int i = 0; i < CACHE_MODEL_SIZES; i++) {
		double a = (double)exact.sizes[i].missed_pages,
		       b = (double)sampled.sizes[i].missed_pages;

		CHECK((a > b ? a - b : b - a) / 60000 < 0.05);
		if (i)
			CHECK(exact.sizes[i].missed_pages < exact.sizes[i - 1].missed_pages);
	}
}

int main(void)
{
	RUN(a_page_accessed_twice_is_not_yet_active);
	RUN(a_page_read_again_soon_is_active);
	RUN(a_page_read_again_late_is_not);
	RUN(pages_evicted_long_ago_count_as_new);
	RUN(a_sample_keeps_the_active_list_as_the_whole_cache_does);
	RUN(readahead_windows_grow);
	RUN(a_loop_fits_or_does_not);
	RUN(readahead_is_modelled);
	RUN(a_fault_reads_the_pages_around_it);
	RUN(long_reads_are_read_ahead);
	RUN(a_page_cached_before_is_a_hit);
	RUN(recorded_readahead_without_a_window_is_kept);
	RUN(a_splice_reads_in_pieces);
	RUN(a_page_dropped_and_read_again_is_the_same_page);
	RUN(written_pages_are_not_counted_as_read);
	RUN(distinct_pages_of_a_sample);
	RUN(truncated_pages_are_read_again);
	RUN(a_write_fills_pages_and_is_no_read);
	RUN(odd_rows_are_ignored);
	RUN(a_sample_is_near_the_exact_result);
	return TEST_RESULT;
}
