// SPDX-License-Identifier: MIT
/* Who dropped cached pages; and that a failed allocation is an error, not a smaller figure. */
#include "unit/shared/test.h"

#include <errno.h>
#include <stdlib.h>

/* The allocation with this number fails, from 1; 0: none does. */
static unsigned int fails_at, allocations;

static void *counted_calloc(size_t count, size_t bytes)
{
	return ++allocations == fails_at ? NULL : calloc(count, bytes);
}

#define calloc counted_calloc
#include "explain/figures/cache_pairs.c"
#undef calloc

static const char *command_of(uint32_t task, const void *context)
{
	const char *const *commands = context;

	return commands[task];
}

/* Each file lies at a place of its own. */
static void read_file(struct cache_pairs *p, uint32_t file, uint64_t pages, unsigned int times)
{
	for (unsigned int i = 0; i < times; i++) {
		const struct io_row row = {.device = 1,
					   .file = file,
					   .sector = (uint64_t)file << 30,
					   .bytes = pages * PAGE_BYTES};

		CHECK_EQ(cache_pairs__add_read(p, &row), 0);
	}
}

static void add(struct cache_pairs *p, struct cache_row row)
{
	CHECK_EQ(cache_pairs__add(p, &row), 0);
}

/*
 * Tasks 1 and 2 are dd, 3 is cat, 4 is rm: dd dropped 30 + 20 pages of two files, cat 40 of one. Then
 * each was read again. rm deleted 500 pages of a file that was read once.
 */
static struct cache_pairs *made_pairs(void)
{
	static const struct cache_row rows[] = {
		{.task = 1, .file = 1, .demand_miss_pages = 60, .deleted_pages = 30},
		{.task = 2, .file = 2, .demand_miss_pages = 40, .deleted_pages = 20},
		{.task = 3, .file = 3, .demand_miss_pages = 80, .deleted_pages = 40},
		{.task = 4, .file = 4, .demand_miss_pages = 500, .deleted_pages = 500},
	};
	struct cache_pairs *p = cache_pairs__new();

	for (unsigned int i = 0; p && i < sizeof(rows) / sizeof(rows[0]); i++)
		add(p, rows[i]);
	for (uint32_t file = 1; p && file < 4; file++)
		read_file(p, file, rows[file - 1].deleted_pages, 2);
	if (p)
		read_file(p, 4, 500, 1);
	return p;
}

static const char *const commands[] = {NULL, "dd", "dd", "cat", "rm"};

static void the_command_that_dropped_most_is_found(void)
{
	struct cache_pairs *p = made_pairs();
	struct cache_dropping most;

	CHECK_EQ(cache_pairs__dropping(p, command_of, commands, &most), 0);
	CHECK_EQ(most.pages, 50);
	CHECK_EQ(most.again_pages, 50);
	CHECK_EQ(most.processes, 2);
	CHECK_EQ(most.files, 2);
	CHECK_EQ(most.task, 1);
	cache_pairs__free(p);
}

/* dd drops 200 pages, memory is short for 600: of 400 pages that were read again dd dropped 100. */
static void what_was_evicted_is_not_laid_to_the_dropper(void)
{
	struct cache_pairs *p = cache_pairs__new();
	struct cache_dropping most;

	REQUIRE(p);
	add(p, (struct cache_row){.task = 1, .file = 1, .readahead_added_pages = 800});
	add(p, (struct cache_row){.task = 1, .file = 1, .deleted_pages = 200});
	add(p,
	    (struct cache_row){.task = 3, .file = 1, .deleted_pages = 600, .evicted_pages = 600});
	read_file(p, 1, 400, 2);
	CHECK_EQ(cache_pairs__dropping(p, command_of, commands, &most), 0);
	CHECK_EQ(most.pages, 200);
	CHECK_EQ(most.again_pages, 100);
	cache_pairs__free(p);
}

static void evictions_count_where_the_file_was_read_again(void)
{
	struct cache_pairs *p = cache_pairs__new();

	REQUIRE(p);
	CHECK_EQ(cache_pairs__evicted_again(p, 700), 700);
	add(p, (struct cache_row){.task = 1, .file = 1, .demand_miss_pages = 800});
	add(p, (struct cache_row){.task = 1, .file = 2, .demand_miss_pages = 300});
	add(p, (struct cache_row){.task = 3, .file = 1, .evicted_pages = 400});
	add(p, (struct cache_row){.task = 3, .file = 2, .evicted_pages = 300});
	CHECK_EQ(cache_pairs__evicted_again(p, 700), 700);
	read_file(p, 1, 400, 2);
	read_file(p, 2, 300, 1);
	CHECK_EQ(cache_pairs__evicted_again(p, 700), 400);
	CHECK_EQ(cache_pairs__evicted_again(p, 1400), 800);
	cache_pairs__free(p);
}

/* The sample has one block of 32: most of the files are outside it. */
static void many_small_files_are_as_those_in_the_sample(void)
{
	struct cache_pairs *p = cache_pairs__new();
	struct cache_dropping most;

	REQUIRE(p);
	for (uint32_t file = 1; file <= 20000; file++) {
		bool is_read_again = file % 2;

		add(p, (struct cache_row){.task = 1,
					  .file = file,
					  .demand_miss_pages = is_read_again ? 16 : 8,
					  .deleted_pages = 8});
		read_file(p, file, 8, is_read_again ? 2 : 1);
	}
	CHECK_EQ(cache_pairs__dropping(p, command_of, commands, &most), 0);
	CHECK(most.again_pages > 72000 && most.again_pages < 88000); /* 80,000 */
	CHECK(most.again_pages <= most.pages);
	cache_pairs__free(p);
}

static void equal_sectors_of_two_devices_are_two_blocks(void)
{
	struct io_row row = {.device = 1, .file = 1, .bytes = 512 * PAGE_BYTES};
	struct cache_pairs *p = cache_pairs__new();

	REQUIRE(p);
	CHECK_EQ(cache_pairs__add_read(p, &row), 0);
	row.device = 2;
	CHECK_EQ(cache_pairs__add_read(p, &row), 0);
	CHECK(cache_pairs__reread_pct(p) == 0);
	CHECK_EQ(cache_pairs__add_read(p, &row), 0);
	CHECK(cache_pairs__reread_pct(p) > 33 && cache_pairs__reread_pct(p) < 34);
	cache_pairs__free(p);
}

static void each_failed_allocation_is_an_error(void)
{
	struct cache_pairs *p = made_pairs();
	struct cache_dropping most;
	unsigned int all;

	allocations = 0;
	CHECK_EQ(cache_pairs__dropping(p, command_of, commands, &most), 0);
	all = allocations;
	CHECK(all >= 7); /* three commands, two processes, two files */
	for (fails_at = 1; fails_at <= all; fails_at++) {
		allocations = 0;
		CHECK_EQ(cache_pairs__dropping(p, command_of, commands, &most), -ENOMEM);
	}
	fails_at = 0;
	cache_pairs__free(p);
}

int main(void)
{
	RUN(the_command_that_dropped_most_is_found);
	RUN(what_was_evicted_is_not_laid_to_the_dropper);
	RUN(evictions_count_where_the_file_was_read_again);
	RUN(many_small_files_are_as_those_in_the_sample);
	RUN(equal_sectors_of_two_devices_are_two_blocks);
	RUN(each_failed_allocation_is_an_error);
	return TEST_RESULT;
}
