// SPDX-License-Identifier: MIT
/* How much of a bin is large: never more than in the trace, and what it gives up comes later. */
#include <string.h>

#include "profile/arrival/bin_sizes.h"
#include "profile/operations/operations.h"
#include "unit/profile/profiles.h"

#define BINS 20000u

static struct profile_arrival known(uint32_t alone, uint32_t above_both)
{
	struct profile_arrival a = {0};

	for (unsigned int m = COUNTS_OF_OP; m < PROFILE_SIZE_CLASSES; m++) {
		a.size_classes[m].above_bytes = m == COUNTS_OF_OP ? 8192 : 65536;
		a.size_classes[m].cap_known = true;
		for (unsigned int row = 0; row < PROFILE_CAP_ROWS; row++)
			a.size_classes[m].cap_permille[row] =
				m == COUNTS_OF_OP ? alone : above_both;
	}
	return a;
}

static uint64_t sum(const uint64_t classes[CLASSES_OF_OP])
{
	return classes[0] + classes[1] + classes[2];
}

static void rows_begin_at_powers_of_two(void)
{
	CHECK_EQ(bin_sizes_row(0), -1);
	CHECK_EQ(bin_sizes_row(7), -1);
	CHECK_EQ(bin_sizes_row(8), 0);
	CHECK_EQ(bin_sizes_row(15), 0);
	CHECK_EQ(bin_sizes_row(16), 1);
	CHECK_EQ(bin_sizes_row(127), 3);
	CHECK_EQ(bin_sizes_row(128), 4);
	CHECK_EQ(bin_sizes_row(UINT64_MAX), 4);
}

static void a_burst_has_no_larger_share_than_it_had(void)
{
	struct profile_arrival a = known(100, 50);
	struct bin_sizes sizes = {0};
	struct prng random;
	uint64_t classes[2][CLASSES_OF_OP] = {{50, 30, 20}};

	prng_seed(&random, 1);
	bin_sizes_settle(&sizes, &a, &random, classes);
	/* 5 % of 100 are above both; of the other 95 10 % are above the first. */
	CHECK_EQ(classes[0][2], 5);
	CHECK_EQ(classes[0][1], 9);
	CHECK_EQ(sum(classes[0]), 100);
	CHECK_EQ(sizes.backlog[0][2], 15);
	CHECK_EQ(sizes.backlog[0][1], 21);
	/* Reads have no rows, nor have profiles that do not say it. */
	memcpy(classes, (uint64_t[2][CLASSES_OF_OP]){{0}, {50, 30, 20}}, sizeof(classes));
	bin_sizes_settle(&sizes, &a, &random, classes);
	CHECK_EQ(classes[1][1], 30);
	CHECK_EQ(classes[1][2], 20);
}

/* Bursts of which a half is large, among single IOs of which none is. */
static void what_is_given_up_comes_later(void)
{
	struct profile_arrival a = known(1000, 0);
	struct bin_sizes sizes = {0};
	uint64_t large_alone = 0, large_in_bursts = 0, given = 0;
	struct prng random;

	prng_seed(&random, 2);
	for (unsigned int i = 0; i < BINS; i++) {
		bool burst = i % 100 == 0;
		uint64_t classes[2][CLASSES_OF_OP] = {{burst ? 16 : 1, 0, burst ? 16 : 0}};

		given += classes[0][2];
		bin_sizes_settle(&sizes, &a, &random, classes);
		CHECK_EQ(sum(classes[0]), burst ? 32 : 1);
		*(burst ? &large_in_bursts : &large_alone) += classes[0][2];
	}
	CHECK_EQ(large_in_bursts, 0);
	CHECK_EQ(large_alone + sizes.backlog[0][2], given);
	/* The backlog is at any time about as many as make every sixth IO large. */
	CHECK(sizes.backlog[0][2] < 100);
	CHECK(large_alone > 3000);
}

/* Bins that all have rows, and of which many hold too much: nothing gathers for the end. */
static void bursts_take_what_others_gave(void)
{
	struct profile_arrival a = known(1000, 500);
	struct bin_sizes sizes = {0};
	uint64_t most = 0;
	struct prng random;

	prng_seed(&random, 3);
	for (unsigned int i = 0; i < BINS; i++) {
		uint64_t large = prng_below(&random, 16);
		uint64_t classes[2][CLASSES_OF_OP] = {{20 - large, 0, large}};

		bin_sizes_settle(&sizes, &a, &random, classes);
		CHECK(classes[0][2] <= 10);
		most = sizes.backlog[0][2] > most ? sizes.backlog[0][2] : most;
	}
	CHECK(most > 0);
	CHECK(most < 500);
}

/* Numbers of a hostile profile. */
static void the_largest_numbers_are_taken(void)
{
	struct profile_arrival a = known(1000, 0);
	struct bin_sizes sizes = {0};
	struct prng random;
	uint64_t classes[2][CLASSES_OF_OP] = {{0, 0, PROFILE_IOS_MAX}};

	prng_seed(&random, 4);
	bin_sizes_settle(&sizes, &a, &random, classes);
	CHECK_EQ(classes[0][2], 0);
	CHECK_EQ(sizes.backlog[0][2], PROFILE_IOS_MAX);
	a.size_classes[COUNTS_OF_OP + 1].cap_permille[PROFILE_CAP_ROWS - 1] = 1000;
	memcpy(classes, (uint64_t[2][CLASSES_OF_OP]){{PROFILE_IOS_MAX}}, sizeof(classes));
	bin_sizes_settle(&sizes, &a, &random, classes);
	CHECK_EQ(sum(classes[0]), PROFILE_IOS_MAX);
	CHECK_EQ(sizes.backlog[0][2] + classes[0][2], PROFILE_IOS_MAX);
}

static void the_most_of_a_trace_is_noted(void)
{
	struct bin_caps most = {0};
	struct profile_size_class first = {0}, second = {0}, none = {0};
	uint64_t counts[CLASS_COUNTS] = {[COUNT_ABOVE + COUNTS_OF_OP] = 7,
					 [COUNT_ABOVE + COUNTS_OF_OP + 1] = 4};

	bin_caps_fill(&most, COUNTS_OF_OP, &none);
	CHECK(!none.cap_known);
	bin_caps_note(&most, counts, 7); /* few: no row is for them */
	bin_caps_fill(&most, COUNTS_OF_OP, &none);
	CHECK(!none.cap_known);
	/* 4 of 40 above both, 3 of the other 36 above the first alone, rounded up. */
	bin_caps_note(&most, counts, 40);
	bin_caps_fill(&most, COUNTS_OF_OP, &first);
	bin_caps_fill(&most, COUNTS_OF_OP + 1, &second);
	CHECK(first.cap_known && second.cap_known);
	for (unsigned int row = 0; row < PROFILE_CAP_ROWS; row++) {
		CHECK_EQ(first.cap_permille[row], 84);
		CHECK_EQ(second.cap_permille[row], 100);
	}
	/* More of more: rows between are as the one below. */
	bin_caps_note(&most, (uint64_t[CLASS_COUNTS]){[COUNT_ABOVE + COUNTS_OF_OP] = 150}, 200);
	bin_caps_note(&most, (uint64_t[CLASS_COUNTS]){[COUNT_ABOVE + COUNTS_OF_OP] = 1}, 200);
	bin_caps_fill(&most, COUNTS_OF_OP, &first);
	CHECK_EQ(first.cap_permille[2], 84);
	CHECK_EQ(first.cap_permille[3], 84);
	CHECK_EQ(first.cap_permille[4], 750);
}

/* Twice the load: what was said of 16 IOs is said of 32. */
static void scaling_moves_rows(void)
{
	struct profile_scale twice = {.load = 2, .time = 1, .footprint = 1};
	struct profile *p = profile_of_sentence(
		"1333 times: 1 write of 64k 1ms apart in sequence, 2 writes 1ms apart in sequence");

	for (unsigned int row = 0; row < PROFILE_CAP_ROWS; row++)
		p->arrival.size_classes[COUNTS_OF_OP].cap_permille[row] = 100 * (row + 1);
	profile__scale(p, &twice);
	CHECK_EQ(p->arrival.size_classes[COUNTS_OF_OP].cap_permille[0], 1000);
	for (unsigned int row = 1; row < PROFILE_CAP_ROWS; row++)
		CHECK_EQ(p->arrival.size_classes[COUNTS_OF_OP].cap_permille[row], 100 * row);
	profile__free(p);
}

int main(void)
{
	RUN(rows_begin_at_powers_of_two);
	RUN(a_burst_has_no_larger_share_than_it_had);
	RUN(what_is_given_up_comes_later);
	RUN(bursts_take_what_others_gave);
	RUN(the_largest_numbers_are_taken);
	RUN(the_most_of_a_trace_is_noted);
	RUN(scaling_moves_rows);
	return TEST_RESULT;
}
