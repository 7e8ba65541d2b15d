// SPDX-License-Identifier: MIT
/* How much of a leaf is large: never more than in the trace, and what it gives up comes later. */
#include <string.h>

#include "profile/arrival/leaf_sizes.h"
#include "profile/operations/operations.h"
#include "unit/profile/profiles.h"

#define LEAVES 20000u

static struct profile_arrival known(uint32_t alone, uint32_t above_both)
{
	struct profile_arrival a = {0};

	for (unsigned int m = MARKS_OTHERS; m < PROFILE_LARGER; m++) {
		a.larger[m].above_bytes = m == MARKS_OTHERS ? 8192 : 65536;
		a.larger[m].most_known = true;
		for (unsigned int row = 0; row < PROFILE_LEAF_ROWS; row++)
			a.larger[m].most_permille[row] = m == MARKS_OTHERS ? alone : above_both;
	}
	return a;
}

static uint64_t sum(const uint64_t classes[SIZE_CLASSES])
{
	return classes[0] + classes[1] + classes[2];
}

static void rows_begin_at_powers_of_two(void)
{
	CHECK_EQ(leaf_sizes_row(0), -1);
	CHECK_EQ(leaf_sizes_row(7), -1);
	CHECK_EQ(leaf_sizes_row(8), 0);
	CHECK_EQ(leaf_sizes_row(15), 0);
	CHECK_EQ(leaf_sizes_row(16), 1);
	CHECK_EQ(leaf_sizes_row(127), 3);
	CHECK_EQ(leaf_sizes_row(128), 4);
	CHECK_EQ(leaf_sizes_row(UINT64_MAX), 4);
}

static void a_crowd_is_not_larger_than_it_was(void)
{
	struct profile_arrival a = known(100, 50);
	struct leaf_sizes sizes = {0};
	struct prng random;
	uint64_t classes[2][SIZE_CLASSES] = {{50, 30, 20}};

	prng_seed(&random, 1);
	leaf_sizes_settle(&sizes, &a, &random, classes);
	/* 5 % of 100 are above both; of the other 95 10 % are above the first. */
	CHECK_EQ(classes[0][2], 5);
	CHECK_EQ(classes[0][1], 9);
	CHECK_EQ(sum(classes[0]), 100);
	CHECK_EQ(sizes.owed[0][2], 15);
	CHECK_EQ(sizes.owed[0][1], 21);
	/* Reads have no rows, nor have profiles that do not say it. */
	memcpy(classes, (uint64_t[2][SIZE_CLASSES]){{0}, {50, 30, 20}}, sizeof(classes));
	leaf_sizes_settle(&sizes, &a, &random, classes);
	CHECK_EQ(classes[1][1], 30);
	CHECK_EQ(classes[1][2], 20);
}

/* Crowds of which a half is large, among single IOs of which none is. */
static void what_is_given_up_comes_later(void)
{
	struct profile_arrival a = known(1000, 0);
	struct leaf_sizes sizes = {0};
	uint64_t large_alone = 0, large_in_crowds = 0, given = 0;
	struct prng random;

	prng_seed(&random, 2);
	for (unsigned int i = 0; i < LEAVES; i++) {
		bool crowd = i % 100 == 0;
		uint64_t classes[2][SIZE_CLASSES] = {{crowd ? 16 : 1, 0, crowd ? 16 : 0}};

		given += classes[0][2];
		leaf_sizes_settle(&sizes, &a, &random, classes);
		CHECK_EQ(sum(classes[0]), crowd ? 32 : 1);
		*(crowd ? &large_in_crowds : &large_alone) += classes[0][2];
	}
	CHECK_EQ(large_in_crowds, 0);
	CHECK_EQ(large_alone + sizes.owed[0][2], given);
	/* About as many are owed at any time as make every sixth IO large. */
	CHECK(sizes.owed[0][2] < 100);
	CHECK(large_alone > 3000);
}

/* Leaves that all have rows, and of which many hold too much: nothing gathers for the end. */
static void crowds_take_what_others_gave(void)
{
	struct profile_arrival a = known(1000, 500);
	struct leaf_sizes sizes = {0};
	uint64_t most = 0;
	struct prng random;

	prng_seed(&random, 3);
	for (unsigned int i = 0; i < LEAVES; i++) {
		uint64_t large = prng_below(&random, 16);
		uint64_t classes[2][SIZE_CLASSES] = {{20 - large, 0, large}};

		leaf_sizes_settle(&sizes, &a, &random, classes);
		CHECK(classes[0][2] <= 10);
		most = sizes.owed[0][2] > most ? sizes.owed[0][2] : most;
	}
	CHECK(most > 0);
	CHECK(most < 500);
}

/* Numbers of a hostile profile. */
static void the_largest_numbers_are_taken(void)
{
	struct profile_arrival a = known(1000, 0);
	struct leaf_sizes sizes = {0};
	struct prng random;
	uint64_t classes[2][SIZE_CLASSES] = {{0, 0, PROFILE_IOS_MAX}};

	prng_seed(&random, 4);
	leaf_sizes_settle(&sizes, &a, &random, classes);
	CHECK_EQ(classes[0][2], 0);
	CHECK_EQ(sizes.owed[0][2], PROFILE_IOS_MAX);
	a.larger[MARKS_OTHERS + 1].most_permille[PROFILE_LEAF_ROWS - 1] = 1000;
	memcpy(classes, (uint64_t[2][SIZE_CLASSES]){{PROFILE_IOS_MAX}}, sizeof(classes));
	leaf_sizes_settle(&sizes, &a, &random, classes);
	CHECK_EQ(sum(classes[0]), PROFILE_IOS_MAX);
	CHECK_EQ(sizes.owed[0][2] + classes[0][2], PROFILE_IOS_MAX);
}

static void the_most_of_a_trace_is_noted(void)
{
	struct leaf_most most = {0};
	struct profile_larger first = {0}, second = {0}, none = {0};
	uint64_t marks[BURST_MARKS] = {[MARK_LARGER + MARKS_OTHERS] = 7,
				       [MARK_LARGER + MARKS_OTHERS + 1] = 4};

	leaf_most_fill(&most, MARKS_OTHERS, &none);
	CHECK(!none.most_known);
	leaf_most_note(&most, marks, 7); /* few: no row is for them */
	leaf_most_fill(&most, MARKS_OTHERS, &none);
	CHECK(!none.most_known);
	/* 4 of 40 above both, 3 of the other 36 above the first alone, rounded up. */
	leaf_most_note(&most, marks, 40);
	leaf_most_fill(&most, MARKS_OTHERS, &first);
	leaf_most_fill(&most, MARKS_OTHERS + 1, &second);
	CHECK(first.most_known && second.most_known);
	for (unsigned int row = 0; row < PROFILE_LEAF_ROWS; row++) {
		CHECK_EQ(first.most_permille[row], 84);
		CHECK_EQ(second.most_permille[row], 100);
	}
	/* More of more: rows between are as the one below. */
	leaf_most_note(&most, (uint64_t[BURST_MARKS]){[MARK_LARGER + MARKS_OTHERS] = 150}, 200);
	leaf_most_note(&most, (uint64_t[BURST_MARKS]){[MARK_LARGER + MARKS_OTHERS] = 1}, 200);
	leaf_most_fill(&most, MARKS_OTHERS, &first);
	CHECK_EQ(first.most_permille[2], 84);
	CHECK_EQ(first.most_permille[3], 84);
	CHECK_EQ(first.most_permille[4], 750);
}

/* Twice the load: what was said of 16 IOs is said of 32. */
static void scaling_moves_rows(void)
{
	struct profile_scale twice = {.load = 2, .time = 1, .footprint = 1};
	struct profile *p = profile_of_sentence(
		"1333 times: 1 write of 64k 1ms apart in sequence, 2 writes 1ms apart in sequence");

	for (unsigned int row = 0; row < PROFILE_LEAF_ROWS; row++)
		p->arrival.larger[MARKS_OTHERS].most_permille[row] = 100 * (row + 1);
	profile__scale(p, &twice);
	CHECK_EQ(p->arrival.larger[MARKS_OTHERS].most_permille[0], 1000);
	for (unsigned int row = 1; row < PROFILE_LEAF_ROWS; row++)
		CHECK_EQ(p->arrival.larger[MARKS_OTHERS].most_permille[row], 100 * row);
	profile__free(p);
}

int main(void)
{
	RUN(rows_begin_at_powers_of_two);
	RUN(a_crowd_is_not_larger_than_it_was);
	RUN(what_is_given_up_comes_later);
	RUN(crowds_take_what_others_gave);
	RUN(the_largest_numbers_are_taken);
	RUN(the_most_of_a_trace_is_noted);
	RUN(scaling_moves_rows);
	return TEST_RESULT;
}
