// SPDX-License-Identifier: MIT
/* Counts of requests by size, also with more sizes than the table can hold. */
#include "unit/shared/test.h"

#include <math.h>

#include "workload/figures/size_table.h"

static uint64_t ios_of(const struct size_table *t, uint64_t bytes)
{
	for (const struct size_entry *e = t->entries; e; e = e->hh.next)
		if (e->bytes == bytes)
			return e->ios;
	return 0;
}

static void sizes_are_counted(void)
{
	struct size_table t = {0};

	/* Some of them share a place of the recent ones. */
	for (unsigned int round = 1; round <= 3; round++)
		for (uint64_t sectors = 1; sectors <= 200; sectors++)
			CHECK_EQ(size_table_add(&t, sectors * 512, round), 0);
	CHECK_EQ(t.ios, 1200);
	CHECK_EQ(HASH_COUNT(t.entries), 200);
	for (uint64_t sectors = 1; sectors <= 200; sectors++)
		CHECK_EQ(ios_of(&t, sectors * 512), 6);
	size_table_release(&t);
	CHECK(!t.entries && !t.ios);
}

static void too_many_sizes_are_rounded_down(void)
{
	struct size_table t = {0};

	CHECK_EQ(size_table_add(&t, 127, 1), 0);
	for (uint64_t i = 1; i < SIZE_TABLE_MAX; i++)
		CHECK_EQ(size_table_add(&t, 1000000 + i, 1), 0);
	CHECK_EQ(HASH_COUNT(t.entries), SIZE_TABLE_MAX);
	/* Known sizes stay exact, and so do sizes of seven bits. */
	CHECK_EQ(size_table_add(&t, 1000001, 10), 0);
	CHECK_EQ(ios_of(&t, 1000001), 11);
	CHECK_EQ(size_table_add(&t, 255, 1), 0);
	CHECK_EQ(size_table_add(&t, 254, 1), 0);
	CHECK_EQ(ios_of(&t, 254), 2);
	CHECK_EQ(size_table_add(&t, 126, 5), 0);
	CHECK_EQ(ios_of(&t, 126), 5);
	/* 2^20 and less than an eighth of an eighth more. */
	CHECK_EQ(size_table_add(&t, (1 << 20) + 16383, 3), 0);
	CHECK_EQ(size_table_add(&t, (1 << 20) + 5, 4), 0);
	CHECK_EQ(ios_of(&t, 1 << 20), 7);
	CHECK_EQ(size_table_add(&t, (1 << 20) + 16384, 2), 0);
	CHECK_EQ(ios_of(&t, (1 << 20) + 16384), 2);
	CHECK_EQ(t.ios, SIZE_TABLE_MAX + 10 + 5 + 2 + 7 + 2);
	size_table_release(&t);
}

static void distance_is_half_the_difference_of_shares(void)
{
	struct size_table a = {0}, b = {0}, none = {0};

	CHECK_EQ(size_table_add(&a, 4096, 3), 0);
	CHECK_EQ(size_table_add(&a, 8192, 1), 0);
	CHECK_EQ(size_table_add(&b, 4096, 50), 0);
	CHECK_EQ(size_table_add(&b, 512, 50), 0);
	CHECK(fabs(size_table_distance(&a, &b) - 0.5) < 1e-12);
	CHECK(fabs(size_table_distance(&b, &a) - 0.5) < 1e-12);
	CHECK(size_table_distance(&a, &a) == 0);
	CHECK(size_table_distance(&a, &none) == 1);
	CHECK(size_table_distance(&none, &b) == 1);
	CHECK(size_table_distance(&none, &none) == 0);
	size_table_release(&a);
	size_table_release(&b);
}

int main(void)
{
	RUN(sizes_are_counted);
	RUN(too_many_sizes_are_rounded_down);
	RUN(distance_is_half_the_difference_of_shares);
	return TEST_RESULT;
}
