// SPDX-License-Identifier: MIT
/*
 * Which half of an interval gets more, as the builder counts it: what large bursts do counts more.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/build/split_counts.h"
#include "unit/shared/test.h"

#define SPLIT_LEVELS 2

static const struct window_halves no_period;

struct counting {
	struct split_counts counts;
	struct filled_parts filled;
	struct profile_splits splits;
};

static void start(struct counting *c)
{
	memset(c, 0, sizeof(*c));
	if (filled_parts_init(&c->filled, SPLIT_LEVELS))
		abort();
}

/* A window of four bins, and an empty one, so that nothing comes before the next. */
static void add(struct counting *c, const uint32_t bins[4])
{
	uint32_t tree[8] = {0};

	for (unsigned int i = 0; i < 4; i++) {
		tree[4 + i] = bins[i];
		if (bins[i])
			filled_parts_note(&c->filled, i);
	}
	for (unsigned int i = 4; --i;)
		tree[i] = tree[2 * i] + tree[2 * i + 1];
	filled_parts_climb(&c->filled);
	split_counts_add(&c->counts, tree, &c->filled, 0, SPLIT_LEVELS, &no_period);
	filled_parts_clear(&c->filled);
	memset(tree, 0, sizeof(tree));
	split_counts_add(&c->counts, tree, &c->filled, 0, SPLIT_LEVELS, &no_period);
}

static void finish(struct counting *c)
{
	split_counts_finish(&c->counts, SPLIT_LEVELS, &c->splits);
	filled_parts_release(&c->filled);
}

/*
 * The first two bins: far busier after than before, and halves that differ by half of what they
 * hold.
 */
#define CELL (2 + 3)

static const uint32_t small_away[4] = {3, 1, 30, 30}, large_towards[4] = {100, 300, 3000, 3000};

static void large_bursts_weigh_more_than_single_ios(void)
{
	struct counting c;

	start(&c);
	for (unsigned int i = 0; i < 50; i++)
		add(&c, small_away);
	for (unsigned int i = 0; i < 3; i++)
		add(&c, large_towards);
	finish(&c);
	/* By their number 72; the three would say 800 alone. */
	CHECK(c.splits.neighbour_permille[0][CELL] > 780);
	CHECK(c.splits.neighbour_permille[0][CELL] <= 800);
}

static void one_says_little(void)
{
	struct counting c;

	start(&c);
	add(&c, large_towards);
	finish(&c);
	CHECK_EQ(c.splits.neighbour_permille[0][CELL], 666);
	CHECK_EQ(c.splits.neighbour_permille[0][CELL - 1], 500);
}

static void as_many_alike_are_counted(void)
{
	struct counting c;

	start(&c);
	for (unsigned int i = 0; i < 38; i++)
		add(&c, small_away);
	finish(&c);
	CHECK_EQ(c.splits.neighbour_permille[0][CELL], 1000 / 40);
}

/* Sums stay below 64 bits where windows hold thousands of millions. */
static void huge_counts(void)
{
	const uint32_t huge[4] = {0, 1000000000, 1000000000, 1000000000};
	struct counting c;

	start(&c);
	for (unsigned int i = 0; i < 98; i++)
		add(&c, huge);
	finish(&c);
	CHECK_EQ(c.splits.neighbour_permille[0][2 + 6], 990);
}

int main(void)
{
	RUN(large_bursts_weigh_more_than_single_ios);
	RUN(one_says_little);
	RUN(as_many_alike_are_counted);
	RUN(huge_counts);
	return TEST_RESULT;
}
