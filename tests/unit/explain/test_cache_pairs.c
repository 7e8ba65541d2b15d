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

/* Tasks 1 and 2 are dd, 3 is cat: dd dropped 30 + 20 pages of two files, cat 40 of one. */
static struct cache_pairs *made_pairs(void)
{
	static const struct cache_row rows[] = {
		{.task = 1, .file = 1, .demand_miss_pages = 30, .deleted_pages = 30},
		{.task = 2, .file = 2, .demand_miss_pages = 20, .deleted_pages = 20},
		{.task = 3, .file = 3, .demand_miss_pages = 40, .deleted_pages = 40},
	};
	struct cache_pairs *p = cache_pairs__new();

	for (unsigned int i = 0; p && i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK_EQ(cache_pairs__add(p, &rows[i]), 0);
	return p;
}

static const char *const commands[] = {NULL, "dd", "dd", "cat"};

static void the_command_that_dropped_most_is_found(void)
{
	struct cache_pairs *p = made_pairs();
	struct cache_dropping most;

	CHECK_EQ(cache_pairs__dropping(p, command_of, commands, &most), 0);
	CHECK_EQ(most.pages, 50);
	CHECK_EQ(most.processes, 2);
	CHECK_EQ(most.files, 2);
	CHECK_EQ(most.task, 1);
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
	CHECK(all >= 6); /* two commands, two processes, two files */
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
	RUN(each_failed_allocation_is_an_error);
	return TEST_RESULT;
}
