// SPDX-License-Identifier: MIT
#include "collector/host/cache_room.h"
#include "unit/shared/test.h"

#define MIB (1ull << 20)

static void memory_that_is_never_full_is_taken_when_least_is_free(void)
{
	struct cache_room room = {0};

	cache_room__note(&room, 100 * MIB, 900 * MIB);
	cache_room__note(&room, 300 * MIB, 500 * MIB);
	cache_room__note(&room, 400 * MIB, 600 * MIB);
	CHECK_EQ(room.cached_bytes, 300 * MIB);
	CHECK_EQ(room.free_bytes, 500 * MIB);
	CHECK(!room.was_full);
}

static void of_full_memory_the_largest_cache_counts(void)
{
	struct cache_room room = {0};

	cache_room__note(&room, 900 * MIB, 500 * MIB);
	cache_room__note(&room, 200 * MIB, 2 * MIB);
	cache_room__note(&room, 300 * MIB, 1 * MIB);
	cache_room__note(&room, 100 * MIB, 0);
	cache_room__note(&room, 800 * MIB, 700 * MIB);
	CHECK_EQ(room.cached_bytes, 300 * MIB);
	CHECK_EQ(room.free_bytes, 0);
	CHECK(room.was_full);
}

static void a_first_sample_without_a_cache_says_nothing(void)
{
	struct cache_room room = {0};

	cache_room__note(&room, 0, 24 * MIB);
	cache_room__note(&room, 10 * MIB, 14 * MIB);
	CHECK_EQ(room.cached_bytes, 10 * MIB);
	CHECK_EQ(room.free_bytes, 14 * MIB);
}

int main(void)
{
	RUN(memory_that_is_never_full_is_taken_when_least_is_free);
	RUN(of_full_memory_the_largest_cache_counts);
	RUN(a_first_sample_without_a_cache_says_nothing);
	return TEST_RESULT;
}
