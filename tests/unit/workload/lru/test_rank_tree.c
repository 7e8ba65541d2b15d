// SPDX-License-Identifier: MIT
/* Sums of counts and the search by rank, compared with an array that is summed from its start. */
#include "unit/shared/test.h"

#include <stdlib.h>

#include "unit/shared/random.h"
#include "workload/lru/rank_tree.h"

struct line {
	uint32_t words, end; /* no count from `end` on */
	unsigned char *counts;
	struct rank_tree tree;
};

static void check_line(const struct line *l)
{
	uint32_t sum = 0, rank;

	for (uint32_t i = 0; i < l->words; i++) {
		CHECK_EQ(rank_tree_before(&l->tree, i), sum);
		for (uint32_t in = 0; in < l->counts[i]; in += 13) {
			rank = sum + in;
			CHECK_EQ(rank_tree_find(&l->tree, l->end, &rank), i);
			CHECK_EQ(rank, in);
		}
		sum += l->counts[i];
	}
	for (uint32_t behind = 0; behind < RANK_TREE_COUNT_MAX; behind += 21) {
		rank = sum + behind;
		CHECK_EQ(rank_tree_find(&l->tree, l->end, &rank), l->end);
		CHECK_EQ(rank, behind);
	}
}

static void change(struct line *l, uint32_t word, unsigned char count)
{
	rank_tree_add(&l->tree, word, count - l->counts[word]);
	l->counts[word] = count;
}

static void sums_are_those_of_a_list(uint32_t words)
{
	struct line l = {.words = words, .end = words - 1, .counts = calloc(words, 1)};

	REQUIRE(l.counts && rank_tree_init(&l.tree, words) == 0);
	check_line(&l);
	for (uint32_t i = 0; i < words; i++) {
		uint32_t word = (uint32_t)(next_random() % l.end);

		change(&l, word, (unsigned char)(next_random() % (RANK_TREE_COUNT_MAX + 1)));
	}
	check_line(&l);
	/* All as full as can be, then most of them empty. */
	for (uint32_t i = 0; i < l.end; i++)
		change(&l, i, RANK_TREE_COUNT_MAX);
	check_line(&l);
	for (uint32_t i = 0; i < l.end; i++)
		change(&l, i, i % 100 == 7);
	check_line(&l);
	for (unsigned int i = 0; i < 5; i++) {
		l.end = i ? (uint32_t)(next_random() % words) : 0;
		for (uint32_t word = 0; word < words; word++)
			l.counts[word] = word < l.end ? RANK_TREE_COUNT_MAX : 0;
		rank_tree_fill(&l.tree, l.end);
		check_line(&l);
	}
	rank_tree_release(&l.tree);
	rank_tree_release(&l.tree);
	free(l.counts);
}

static void short_sequences_equal_a_list(void)
{
	sums_are_those_of_a_list(64);
	sums_are_those_of_a_list(128);
	sums_are_those_of_a_list(1024);
	sums_are_those_of_a_list(2048);
}

static void long_sequences_equal_a_list(void)
{
	sums_are_those_of_a_list(1u << 15);
	sums_are_those_of_a_list(1u << 17);
}

int main(void)
{
	RUN(short_sequences_equal_a_list);
	RUN(long_sequences_equal_a_list);
	return TEST_RESULT;
}
