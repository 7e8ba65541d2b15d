// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdint.h>

#include "profile/prng.h"
#include "unit/shared/test.h"
#include "workload/lru/block_map.h"
#include "workload/lru/lru_stack.h"
#include "workload/figures/mrc.h"

static struct mrc_curve curve_of(const uint64_t *blocks, unsigned int count, uint32_t exact)
{
	struct mrc_curve curve = {0};
	struct mrc *mrc;

	if (mrc__create(exact, &mrc))
		abort();
	for (unsigned int i = 0; i < count; i++)
		CHECK_EQ(mrc__touch(mrc, blocks[i]), 0);
	mrc__curve(mrc, &curve);
	mrc__free(mrc);
	return curve;
}

/* A simple LRU cache as a list: the curve must agree with it. */
static double simulated_miss_ratio(const uint64_t *blocks, unsigned int count, unsigned int size)
{
	uint64_t cache[512];
	unsigned int used = 0, misses = 0;

	for (unsigned int i = 0; i < count; i++) {
		unsigned int at = 0;

		while (at < used && cache[at] != blocks[i])
			at++;
		if (at == used) {
			misses++;
			if (used < size)
				used++;
			else
				at = used - 1;
		}
		memmove(cache + 1, cache, at * sizeof(cache[0]));
		cache[0] = blocks[i];
	}
	return (double)misses / count;
}

static void points_rise_by_four_per_octave(void)
{
	static const uint64_t first[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32};

	for (unsigned int i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		CHECK_EQ(mrc_point_blocks(i), first[i]);
	for (unsigned int i = 1; i < MRC_POINTS; i++)
		CHECK(mrc_point_blocks(i) > mrc_point_blocks(i - 1));
}

/* A B C A B B: cold, cold, cold, distance 2, distance 2, distance 0. */
static void curve_of_a_short_sequence(void)
{
	static const uint64_t blocks[] = {10, 20, 30, 10, 20, 20};
	struct mrc_curve curve = curve_of(blocks, 6, 1000);

	CHECK_EQ(curve.references, 6);
	CHECK_EQ(curve.footprint_blocks, 3);
	CHECK_EQ(curve.sampled_one_block_in, 1);
	CHECK(fabs(curve.miss_ratio[0] - 5.0 / 6) < 1e-12);
	CHECK(fabs(curve.miss_ratio[1] - 5.0 / 6) < 1e-12);
	CHECK(fabs(curve.miss_ratio[2] - 3.0 / 6) < 1e-12);
	CHECK(fabs(curve.miss_ratio[MRC_POINTS - 1] - 3.0 / 6) < 1e-12);
}

static void curve_agrees_with_a_simulated_cache(void)
{
	static uint64_t blocks[20000];
	struct mrc_curve curve;
	struct prng random;

	prng_seed(&random, 7);
	for (unsigned int i = 0; i < 20000; i++) {
		uint64_t range = 1ull << prng_below(&random, 9);

		blocks[i] = prng_below(&random, range) * 1000003;
	}
	curve = curve_of(blocks, 20000, 1000);
	for (unsigned int point = 0; mrc_point_blocks(point) <= 256; point++)
		CHECK(fabs(curve.miss_ratio[point] -
			   simulated_miss_ratio(blocks, 20000,
						(unsigned int)mrc_point_blocks(point))) < 1e-12);
}

static void sample_is_near_the_exact_curve(void)
{
	static uint64_t blocks[400000];
	struct mrc_curve exact, sampled;
	struct prng random;

	prng_seed(&random, 11);
	for (unsigned int i = 0; i < 400000; i++)
		blocks[i] = prng_below(&random, 1ull << (6 + prng_below(&random, 11)));
	exact = curve_of(blocks, 400000, 1u << 20);
	sampled = curve_of(blocks, 400000, 8192);
	CHECK_EQ(exact.sampled_one_block_in, 1);
	CHECK(sampled.sampled_one_block_in > 1);
	CHECK(mrc_curve_distance(&exact, &sampled) < 0.03);
	CHECK(fabs((double)sampled.footprint_blocks / (double)exact.footprint_blocks - 1) < 0.05);
}

static void distance_of_curves(void)
{
	static const uint64_t again[] = {1, 1, 1, 1}, fresh[] = {1, 2, 3, 4};
	struct mrc_curve a = curve_of(again, 4, 1000), b = curve_of(fresh, 4, 1000);

	CHECK(mrc_curve_distance(&a, &a) == 0);
	/* Sizes 1 to 4: 1/4 against 1 at each of them. */
	CHECK(fabs(mrc_curve_distance(&a, &b) - 0.75) < 1e-12);
}

/* Compares the stack with an array that is searched from its end. */
static void stack_agrees_with_a_list(void)
{
	uint64_t list[300], distance;
	unsigned int used = 0;
	struct lru_stack *stack;
	struct prng random;
	uint32_t place;

	REQUIRE(lru_stack__create(&stack) == 0);
	prng_seed(&random, 3);
	for (unsigned int i = 0; i < 30000; i++) {
		uint64_t touched = prng_below(&random, 300);
		unsigned int at = 0;

		while (at < used && list[at] != touched)
			at++;
		CHECK_EQ(lru_stack__touch(stack, touched, &distance), 0);
		CHECK(distance == (at == used ? LRU_COLD : at));
		if (at == used)
			used++;
		memmove(list + 1, list, at * sizeof(list[0]));
		list[0] = touched;
		at = (unsigned int)prng_below(&random, used);
		place = lru_stack__at(stack, at);
		CHECK(lru_stack__is_live(stack, place));
		CHECK_EQ(lru_stack__block(stack, place), list[at]);
		CHECK_EQ(lru_stack__distance(stack, place), at);
	}
	lru_stack__drop_oldest(stack);
	CHECK_EQ(lru_stack__blocks(stack), used - 1);
	CHECK(!lru_stack__contains(stack, list[used - 1]));
	lru_stack__free(stack);
	lru_stack__free(NULL);
}

/* Blocks touched in runs give the same stack as blocks touched one by one. */
static void runs_are_blocks_one_by_one(void)
{
	struct lru_stack *runs, *single;
	uint64_t distance, expected;
	struct prng random;

	REQUIRE(lru_stack__create(&runs) == 0);
	REQUIRE(lru_stack__create(&single) == 0);
	prng_seed(&random, 9);
	for (unsigned int i = 0; i < 3000; i++) {
		uint64_t first = prng_below(&random, 20000), count = prng_below(&random, 200);
		uint64_t asked = prng_below(&random, 20200), end = asked + prng_below(&random, 9);
		bool any = false;

		CHECK_EQ(lru_stack__push(runs, first, count), 0);
		for (uint64_t block = first; block < first + count; block++)
			CHECK_EQ(lru_stack__touch(single, block, &distance), 0);
		CHECK_EQ(lru_stack__blocks(runs), lru_stack__blocks(single));
		for (uint64_t block = asked; block < end; block++)
			any = any || lru_stack__contains(single, block);
		CHECK(lru_stack__contains_any(runs, asked, end - asked) == any);
		if (lru_stack__find(single, asked, &expected)) {
			REQUIRE(lru_stack__find(runs, asked, &distance));
			CHECK_EQ(distance, expected);
			CHECK_EQ(lru_stack__block(runs, lru_stack__at(runs, distance)), asked);
		}
	}
	lru_stack__free(runs);
	lru_stack__free(single);
}

static bool is_even(uint64_t block, void *context)
{
	(void)context;
	return block % 2 == 0;
}

/* A stack that expects some of the blocks gives the same results as one that expects none. */
static void expected_blocks_are_like_others(void)
{
	struct lru_stack *stacks[2];
	struct prng random;

	REQUIRE(lru_stack__create(&stacks[0]) == 0 && lru_stack__create(&stacks[1]) == 0);
	CHECK_EQ(lru_stack__expect(stacks[0], 3001, 4000), 0);
	CHECK_EQ(lru_stack__expect(stacks[1], 0, UINT64_MAX / 2), 0);
	prng_seed(&random, 11);
	for (unsigned int i = 0; i < 4000; i++) {
		uint64_t first = prng_below(&random, 10000), count = prng_below(&random, 30);
		uint64_t asked = prng_below(&random, 10000), many = prng_below(&random, 90);
		uint64_t distance;

		for (unsigned int j = 0; j < 2; j++) {
			CHECK_EQ(lru_stack__touch(stacks[j], asked, &distance), 0);
			CHECK_EQ(lru_stack__push(stacks[j], first, count), 0);
			while (lru_stack__blocks(stacks[j]) > 1000)
				lru_stack__drop_oldest(stacks[j]);
			if (i == 2000)
				CHECK_EQ(lru_stack__filter(stacks[j], is_even, NULL), 0);
		}
		for (unsigned int j = 0; j < 8; j++, asked = prng_below(&random, 10000)) {
			CHECK(lru_stack__contains(stacks[0], asked) ==
			      lru_stack__contains(stacks[1], asked));
			CHECK(lru_stack__contains_any(stacks[0], asked, many) ==
			      lru_stack__contains_any(stacks[1], asked, many));
		}
	}
	lru_stack__free(stacks[0]);
	lru_stack__free(stacks[1]);
}

static void map_keeps_what_was_set(void)
{
	struct block_map map;
	struct prng random;
	static bool present[5000];
	uint32_t value = 0;

	REQUIRE(block_map_init(&map) == 0);
	prng_seed(&random, 5);
	for (unsigned int i = 0; i < 100000; i++) {
		uint64_t block = prng_below(&random, 5000);

		if (prng_next(&random) & 1) {
			CHECK_EQ(block_map_set(&map, block * 3, (uint32_t)block), 0);
			present[block] = true;
		} else {
			block_map_remove(&map, block * 3);
			present[block] = false;
		}
	}
	for (uint64_t block = 0; block < 5000; block++) {
		CHECK(block_map_get(&map, block * 3, &value) == present[block]);
		if (present[block])
			CHECK_EQ(value, block);
	}
	block_map_release(&map);
}

/* The mark of the last touch survives all moves, of blocks touched one by one or in runs. */
static void marks_move_with_their_blocks(void)
{
	static int8_t marks[1024]; /* -1: not on the stack */
	struct lru_stack *stack;
	struct prng random;
	uint64_t distance;

	memset(marks, -1, sizeof(marks));
	prng_seed(&random, 12);
	REQUIRE(lru_stack__create(&stack) == 0);
	REQUIRE(lru_stack__keep_marks(stack) == 0);
	for (unsigned int i = 0; i < 50000; i++) {
		uint64_t block = prng_below(&random, 1000), count = prng_below(&random, 24);
		bool mark = prng_next(&random) >> 63;

		lru_stack__mark(stack, mark);
		if (count < 12) {
			CHECK_EQ(lru_stack__touch(stack, block, &distance), 0);
			count = 1;
		} else {
			CHECK_EQ(lru_stack__push(stack, block, count), 0);
		}
		memset(marks + block, mark, count);
		block = prng_below(&random, 1024);
		CHECK_EQ(lru_stack__find_marked(stack, block), marks[block] == 1);
	}
	for (uint64_t block = 0; block < 1024; block++) {
		uint32_t place;

		CHECK_EQ(lru_stack__look_up(stack, block, &place), marks[block] >= 0);
		if (marks[block] >= 0)
			CHECK_EQ(lru_stack__is_marked(stack, place), marks[block]);
	}
	lru_stack__free(stack);
}

int main(void)
{
	RUN(points_rise_by_four_per_octave);
	RUN(curve_of_a_short_sequence);
	RUN(curve_agrees_with_a_simulated_cache);
	RUN(sample_is_near_the_exact_curve);
	RUN(distance_of_curves);
	RUN(stack_agrees_with_a_list);
	RUN(runs_are_blocks_one_by_one);
	RUN(expected_blocks_are_like_others);
	RUN(map_keeps_what_was_set);
	RUN(marks_move_with_their_blocks);
	return TEST_RESULT;
}
