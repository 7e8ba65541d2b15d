// SPDX-License-Identifier: MIT
/* Which pages the cache held when a recording began, against what a small cache says that was followed. */
#include "unit/shared/random.h"
#include "unit/shared/test.h"

#include <errno.h>
#include <stdlib.h>

#include "base/units.h"
#include "replay/files/resident.h"

#define PAGES 200u
#define OPS   2000u

static struct file_op ops[OPS];
static struct file_touch touches[OPS];
static struct file_need need;

static struct file_script script_of(uint64_t count)
{
	need.used = true;
	need.resident = NULL;
	for (uint64_t i = 0; i < count; i++)
		ops[i].number = (uint32_t)i;
	return (struct file_script){
		.ops = ops, .touches = touches, .count = count, .files = &need, .file_ids = 1};
}

static void check_resident(const uint8_t *expected)
{
	uint64_t page = 0, offset, length, next = 0;

	while (file_resident__next(&need, &page, &offset, &length)) {
		for (; next < offset / PAGE_BYTES; next++)
			CHECK(!expected[next]);
		for (; next < (offset + length) / PAGE_BYTES; next++)
			CHECK(expected[next]);
	}
	for (; next < PAGES; next++)
		CHECK(!expected[next]);
}

/* One page at a time, some dropped again: nothing has to be guessed. */
static void pages_cached_at_the_start_are_found(void)
{
	for (unsigned int round = 0; round < 20; round++) {
		uint8_t cached[PAGES], begun[PAGES] = {0}, touched[PAGES] = {0};
		uint64_t expected = 0;
		struct file_script s;

		for (unsigned int i = 0; i < PAGES; i++)
			cached[i] = (uint8_t)next_random() % 2;
		need.initial_bytes = (PAGES - 1) * PAGE_BYTES + 100;
		for (unsigned int i = 0; i < OPS; i++) {
			uint64_t page = next_random() % PAGES;

			ops[i] = (struct file_op){.op = ACCESS_READ,
						  .offset = page * PAGE_BYTES + next_random() % 100,
						  .bytes = 50};
			touches[i] = (struct file_touch){0};
			if (next_random() % 5 == 0) {
				ops[i].op = ACCESS_INVALIDATE;
				ops[i].offset = page * PAGE_BYTES;
				ops[i].bytes = PAGE_BYTES;
				cached[page] = 0;
			} else {
				begun[page] |= cached[page] && !touched[page];
				touches[i].miss_pages = !cached[page];
				cached[page] = 1;
			}
			touched[page] = 1;
		}
		s = script_of(OPS);
		REQUIRE(!file_resident__find(&s));
		for (unsigned int i = 0; i < PAGES; i++)
			expected += begun[i];
		CHECK_EQ(s.resident_pages, expected);
		CHECK_EQ(s.resident_guessed_pages, 0);
		check_resident(begun);
		free(need.resident);
	}
}

/* Windows of 32 pages, the next fetched when the last eighth of one is touched: nothing was there. */
static void pages_of_readahead_were_not_cached_at_the_start(void)
{
	uint8_t none[PAGES] = {0};
	struct file_script s;

	need.initial_bytes = PAGES * PAGE_BYTES;
	for (unsigned int i = 0; i < PAGES; i++) {
		ops[i] = (struct file_op){
			.op = ACCESS_READ, .offset = i * PAGE_BYTES, .bytes = PAGE_BYTES};
		touches[i] = (struct file_touch){.miss_pages = i == 0};
		if (i == 0)
			touches[i].readahead_pages = 31;
		else if (i % 32 == 28)
			touches[i].readahead_pages = i + 36 > PAGES ? PAGES - i - 4 : 32;
	}
	s = script_of(PAGES);
	REQUIRE(!file_resident__find(&s));
	CHECK_EQ(s.resident_pages, 0);
	check_resident(none);
	free(need.resident);
}

/* A fault brings what lies around it. */
static void pages_around_a_fault_were_not_cached_at_the_start(void)
{
	uint8_t expected[PAGES] = {0};
	struct file_script s;

	need.initial_bytes = PAGES * PAGE_BYTES;
	ops[0] = (struct file_op){
		.op = ACCESS_FAULT, .offset = 100 * PAGE_BYTES, .bytes = PAGE_BYTES};
	touches[0] = (struct file_touch){.miss_pages = 1, .readahead_pages = 31};
	for (unsigned int i = 1; i < 35; i++) {
		ops[i] = (struct file_op){
			.op = ACCESS_READ, .offset = (83 + i) * PAGE_BYTES, .bytes = PAGE_BYTES};
		touches[i] = (struct file_touch){0};
	}
	/* 84 to 115 came with the fault; 116 and 117 did not. */
	expected[116] = expected[117] = 1;
	s = script_of(35);
	REQUIRE(!file_resident__find(&s));
	CHECK_EQ(s.resident_pages, 2);
	check_resident(expected);
	free(need.resident);
}

/* Behind the end at the start nothing can have been there, whatever is said of it. */
static void pages_behind_the_end_were_not_cached_at_the_start(void)
{
	uint8_t expected[PAGES] = {[0] = 1, [1] = 1};
	struct file_script s;

	need.initial_bytes = 2 * PAGE_BYTES;
	ops[0] = (struct file_op){.op = ACCESS_WRITE, .offset = 0, .bytes = 5 * PAGE_BYTES};
	touches[0] = (struct file_touch){.miss_pages = 3};
	ops[1] = (struct file_op){.op = ACCESS_READ, .offset = UINT64_MAX - 10, .bytes = 10};
	touches[1] = (struct file_touch){0};
	s = script_of(2);
	REQUIRE(!file_resident__find(&s));
	CHECK_EQ(s.resident_pages, 2);
	CHECK_EQ(s.resident_guessed_pages, 0);
	check_resident(expected);
	free(need.resident);
	need.initial_bytes = 1ull << 50;
	s = script_of(2);
	CHECK_EQ(file_resident__find(&s), -E2BIG);
	CHECK(!need.resident);
}

int main(void)
{
	RUN(pages_cached_at_the_start_are_found);
	RUN(pages_of_readahead_were_not_cached_at_the_start);
	RUN(pages_around_a_fault_were_not_cached_at_the_start);
	RUN(pages_behind_the_end_were_not_cached_at_the_start);
	return TEST_RESULT;
}
