// SPDX-License-Identifier: MIT
/* The union of intervals against hand-computed values and against a brute-force union. */
#include "unit/shared/random.h"
#include "unit/shared/test.h"

#include "explain/figures/addresses.h"
#include "explain/figures/busy.h"

static uint64_t total(const uint64_t (*intervals)[2], size_t count)
{
	struct busy b;
	uint64_t total_ns;

	busy_init(&b);
	for (size_t i = 0; i < count; i++)
		if (busy_add(&b, intervals[i][0], intervals[i][1]))
			abort();
	total_ns = busy_total(&b, UINT64_MAX);
	CHECK(!b.is_lower_bound);
	busy_release(&b);
	return total_ns;
}

#define TOTAL(...)                                \
	total((const uint64_t[][2]){__VA_ARGS__}, \
	      sizeof((const uint64_t[][2]){__VA_ARGS__}) / (2 * sizeof(uint64_t)))

static void an_empty_interval_is_not_busy(void)
{
	CHECK_EQ(total(NULL, 0), 0);
	CHECK_EQ(TOTAL({5, 5}), 0);
	CHECK_EQ(TOTAL({9, 5}), 0);
}

static void what_is_before_the_start_or_after_the_end_is_left_out(void)
{
	struct busy b;

	busy_init(&b);
	b.start_ns = 100;
	CHECK(!busy_add(&b, 40, 60));
	CHECK(!busy_add(&b, 20, 130));
	CHECK(!busy_add(&b, 180, 190));
	CHECK(!busy_add(&b, 195, 260));
	CHECK_EQ(busy_total(&b, UINT64_MAX), 105);
	CHECK_EQ(busy_total(&b, 200), 45);
	CHECK_EQ(busy_total(&b, 185), 35);
	CHECK(!b.is_lower_bound);
	busy_release(&b);
}

static void gaps_are_left_out(void)
{
	CHECK_EQ(TOTAL({0, 10}, {20, 21}), 11);
	CHECK_EQ(TOTAL({10, 20}, {30, 45}, {100, 101}), 26);
}

static void overlaps_count_once(void)
{
	CHECK_EQ(TOTAL({10, 20}, {15, 30}), 20);
	CHECK_EQ(TOTAL({10, 20}, {20, 30}), 20);
	CHECK_EQ(TOTAL({10, 20}, {10, 20}), 10);
}

static void nested_intervals_count_once(void)
{
	CHECK_EQ(TOTAL({10, 90}, {20, 30}), 80);
	CHECK_EQ(TOTAL({20, 30}, {10, 90}), 80);
	CHECK_EQ(TOTAL({20, 30}, {40, 50}, {60, 70}, {10, 90}), 80);
}

static void order_does_not_matter(void)
{
	CHECK_EQ(TOTAL({100, 110}, {10, 20}, {50, 60}), 30);
	CHECK_EQ(TOTAL({100, 110}, {10, 20}, {15, 105}), 100);
	CHECK_EQ(TOTAL({100, 110}, {200, 210}, {105, 150}), 60);
}

static void random_intervals_equal_brute_force(void)
{
	static bool covered[5000];

	for (int round = 0; round < 200; round++) {
		uint64_t spread = 1 + next_random() % 400, expected = 0, base = 0;
		struct busy b;

		memset(covered, 0, sizeof(covered));
		busy_init(&b);
		for (int i = 0; i < 100; i++) {
			uint64_t from, to;

			base += next_random() % 30;
			from = base + next_random() % spread;
			to = from + next_random() % spread;
			for (uint64_t at = from; at < to; at++)
				covered[at] = true;
			CHECK_EQ(busy_add(&b, from, to), 0);
		}
		for (size_t at = 0; at < sizeof(covered); at++)
			expected += covered[at];
		CHECK_EQ(busy_total(&b, UINT64_MAX), expected);
		busy_release(&b);
	}
}

static void beyond_its_memory_the_sum_is_a_lower_bound(void)
{
	struct busy b;

	busy_init(&b);
	b.limit = 8;
	for (uint64_t i = 1; i <= 100; i++)
		CHECK_EQ(busy_add(&b, 100 * i, 100 * i + 10), 0);
	CHECK_EQ(busy_total(&b, UINT64_MAX), 1000);
	CHECK(!b.is_lower_bound);
	/* the true union is [50, 10020] */
	CHECK_EQ(busy_add(&b, 50, 10020), 0);
	CHECK(b.is_lower_bound);
	CHECK(busy_total(&b, UINT64_MAX) >= 1000);
	CHECK(busy_total(&b, UINT64_MAX) <= 9970);
	busy_release(&b);
}

static void repeated_blocks_are_found(void)
{
	struct block_sample *s = block_sample__new();
	uint64_t sampled = 0, repeated = 0;

	REQUIRE(s);
	for (uint64_t i = 0; i < 1000; i++)
		block_sample__read(s, 8 * i, 4096, &sampled, &repeated);
	CHECK_EQ(sampled, 1000);
	CHECK_EQ(repeated, 0);
	block_sample__read(s, 0, 4096 * 1000, &sampled, &repeated);
	CHECK_EQ(sampled, 2000);
	CHECK_EQ(repeated, 1000);
	block_sample__free(s);
}

static void a_full_sample_thins_out_evenly(void)
{
	struct block_sample *s = block_sample__new();
	uint64_t sampled = 0, repeated = 0, first, first_repeated;

	REQUIRE(s);
	for (uint64_t i = 0; i < 400000; i++)
		block_sample__read(s, 8 * i, 4096, &sampled, &repeated);
	CHECK_EQ(repeated, 0);
	first = sampled;
	for (uint64_t i = 0; i < 400000; i++)
		block_sample__read(s, 8 * i, 4096, &sampled, &repeated);
	first_repeated = repeated;
	/* every block of the second pass that is in the sample was kept from the first */
	CHECK_EQ(sampled - first, first_repeated);
	CHECK(first_repeated > 4000);
	block_sample__free(s);
}

/* The sample fills while a file is read several times: blocks count the same before and after. */
static void the_share_that_is_read_again_is_near_the_truth(void)
{
	static const uint64_t file_blocks[] = {4096, 8192, 8193, 12288, 100000};

	for (uint64_t passes = 2; passes <= 5; passes++)
		for (size_t f = 0; f < sizeof(file_blocks) / sizeof(*file_blocks); f++) {
			struct block_sample *s = block_sample__new();
			uint64_t blocks = 0, repeated = 0;
			double share, truth = 1 - 1.0 / (double)passes;

			REQUIRE(s);
			for (uint64_t i = 0; i < passes * file_blocks[f]; i++)
				block_sample__read(s, 8 * (i % file_blocks[f]), 4096, &blocks,
						   &repeated);
			share = (double)repeated / (double)blocks;
			CHECK(share > truth - 0.02 && share < truth + 0.02);
			CHECK(file_blocks[f] > 8192 || blocks == passes * (blocks - repeated));
			block_sample__free(s);
		}
}

int main(void)
{
	RUN(an_empty_interval_is_not_busy);
	RUN(what_is_before_the_start_or_after_the_end_is_left_out);
	RUN(gaps_are_left_out);
	RUN(overlaps_count_once);
	RUN(nested_intervals_count_once);
	RUN(order_does_not_matter);
	RUN(random_intervals_equal_brute_force);
	RUN(beyond_its_memory_the_sum_is_a_lower_bound);
	RUN(repeated_blocks_are_found);
	RUN(a_full_sample_thins_out_evenly);
	RUN(the_share_that_is_read_again_is_near_the_truth);
	return TEST_RESULT;
}
