// SPDX-License-Identifier: MIT
/* Pinned bursts: which are kept, their digits, and that nothing counts them twice. */
#include <string.h>

#include "profile/build/arrival_counts.h"
#include "profile/build/pinned_bursts.h"
#include "profile/text/pinned_bursts.h"
#include "profile/arrival/class_counts.h"
#include "profile/arrival/split_rows.h"
#include "profile/prng.h"
#include "unit/shared/test.h"
#include "unit/shared/workload.h"

#define SPLIT_LEVELS 12u
#define WINDOWS	     100u
#define WINDOW_NS    1000000000ull

/*
 * The most IOs of the neighbourhood that a size class can have; without kinds_known all are reads
 * or none.
 */
static uint64_t most_large(const struct profile_arrival *a,
			   const struct profile_pinned_burst *burst, unsigned int which)
{
	uint32_t level = burst_neighbourhood_level(a->split_levels) - 1;

	if (which % 2)
		return burst->size_classes[which - 1];
	if (!a->kinds_known)
		return burst->ios[level];
	return which ? burst->ios[level] - burst->reads[level] : burst->reads[level];
}

/* A window that falls into halves by chance, as any does. */
static void random_burst(struct profile_arrival *a, struct profile_pinned_burst *burst,
			 struct prng *random)
{
	uint64_t others, reads;

	a->split_levels = SPLIT_LEVELS;
	a->kinds_known = prng_below(random, 4);
	a->window_count = 1;
	a->windows[0] = prng_below(random, 1ull << prng_below(random, 40)) + 1;
	a->reads[0] = prng_below(random, a->windows[0] + 1);
	reads = a->kinds_known ? a->reads[0] : 0;
	others = a->windows[0] - reads;
	*burst = (struct profile_pinned_burst){0};
	for (uint32_t i = 0; i < SPLIT_LEVELS; i++) {
		if (prng_below(random, 2)) {
			others = prng_below(random, others + 1);
			reads = prng_below(random, reads + 1);
		}
		burst->ios[i] = others + reads;
		burst->reads[i] = reads;
	}
	burst->sized = prng_below(random, 2);
	for (unsigned int m = 0; m < PROFILE_SIZE_CLASSES && burst->sized; m++)
		burst->size_classes[m] = prng_below(random, most_large(a, burst, m) + 1);
}

static void check_possible(const struct profile_arrival *a,
			   const struct profile_pinned_burst *burst)
{
	uint64_t ios = a->windows[0], reads = a->kinds_known ? a->reads[0] : 0;

	for (uint32_t i = 0; i < SPLIT_LEVELS; i++) {
		CHECK(burst->ios[i] <= ios && burst->reads[i] <= reads);
		CHECK(burst->reads[i] <= burst->ios[i]);
		CHECK(burst->ios[i] - burst->reads[i] <= ios - reads);
		ios = burst->ios[i];
		reads = burst->reads[i];
	}
	for (unsigned int m = 0; m < PROFILE_SIZE_CLASSES; m++)
		CHECK(burst->size_classes[m] <= (burst->sized ? most_large(a, burst, m) : 0));
}

static void digits_are_possible_counts(void)
{
	static struct profile_arrival a;
	struct profile_pinned_burst burst, told, again;
	struct profile_pinned_burst digits, second;
	struct prng random;

	prng_seed(&random, 3);
	for (unsigned int i = 0; i < 20000; i++) {
		random_burst(&a, &burst, &random);
		told = (struct profile_pinned_burst){.sized = burst.sized};
		again = told;
		burst_to_digits(&a, &burst, &digits);
		burst_from_digits(&a, &digits, &told);
		check_possible(&a, &told);
		burst_to_digits(&a, &told, &second);
		burst_from_digits(&a, &second, &again);
		CHECK(!memcmp(&digits, &second, sizeof(digits)));
		CHECK(!memcmp(&told, &again, sizeof(told)));
	}
}

static void any_digits_can_be_read(void)
{
	static struct profile_arrival a;
	struct profile_pinned_burst burst = {0};
	struct profile_pinned_burst digits;
	struct prng random;

	prng_seed(&random, 4);
	for (unsigned int i = 0; i < 20000; i++) {
		random_burst(&a, &burst, &random);
		for (uint32_t k = 0; k < SPLIT_LEVELS; k++) {
			digits.ios[k] = (uint32_t)prng_below(&random, 62);
			digits.reads[k] = (uint32_t)prng_below(&random, 62);
		}
		for (unsigned int m = 0; m < PROFILE_SIZE_CLASSES; m++)
			digits.size_classes[m] = (uint32_t)prng_below(&random, 62);
		burst_from_digits(&a, &digits, &burst);
		check_possible(&a, &burst);
	}
}

static void few_are_exact_and_many_nearly(void)
{
	static struct profile_arrival a = {.split_levels = 4, .kinds_known = true};
	struct profile_pinned_burst burst = {.ios = {60, 41, 41, 7}, .reads = {20, 13, 13, 0}},
				    told = {0};
	struct profile_pinned_burst digits;

	a.windows[0] = 61;
	a.reads[0] = 21;
	burst_to_digits(&a, &burst, &digits);
	burst_from_digits(&a, &digits, &told);
	CHECK(!memcmp(&burst, &told, sizeof(told)));
	a.windows[0] = 1000000;
	burst = (struct profile_pinned_burst){.ios = {900000, 500000, 333333, 100000}};
	a.kinds_known = false;
	burst_to_digits(&a, &burst, &digits);
	burst_from_digits(&a, &digits, &told);
	for (unsigned int i = 0; i < 4; i++) {
		uint64_t larger = i ? burst.ios[i - 1] : a.windows[0];
		uint64_t off = told.ios[i] > burst.ios[i] ? told.ios[i] - burst.ios[i]
							  : burst.ios[i] - told.ios[i];

		CHECK(off * 100 <= larger);
	}
}

static void the_busiest_are_kept(void)
{
	struct pinned_bursts k = {.level = 2};
	uint64_t least = UINT64_MAX;

	for (uint32_t window = 0; window < 200; window++)
		pinned_bursts_offer(
			&k, &(struct profile_pinned_burst){.window = window,
							   .ios = {1000, window * 37 % 200}});
	CHECK_EQ(k.count, PROFILE_PINNED_BURSTS_MAX);
	for (uint32_t i = 0; i < k.count; i++) {
		CHECK(!i || k.bursts[i].window > k.bursts[i - 1].window);
		least = k.bursts[i].ios[1] < least ? k.bursts[i].ios[1] : least;
	}
	CHECK_EQ(least, 200 - PROFILE_PINNED_BURSTS_MAX);
	/* 40 is four times the mean. */
	pinned_bursts_choose(&k, 40);
	CHECK_EQ(k.count, 40);
	pinned_bursts_choose(&k, 98);
	CHECK_EQ(k.count, 8);
	/* As few windows say nothing of halves without those that stand out a little. */
	k.offered = 31;
	pinned_bursts_choose(&k, 98);
	CHECK_EQ(k.count, 4);
	for (uint32_t i = 0; i < k.count; i++)
		CHECK(k.bursts[i].ios[1] >= 196);
	pinned_bursts_choose(&k, 100);
	CHECK_EQ(k.count, 0);
}

/*
 * In each second ten IOs alone; in 60 of the seconds, or in all, a burst far from them: the only
 * uneven splits.
 */
#define SINGLE_IOS "10 reads 60ms apart, a pause of 100ms"

static const char bursts_in_some_windows[] =
	"60 times: 100 reads 10us apart, a pause of 299ms, " SINGLE_IOS
	"; 40 times: a pause of 300ms, " SINGLE_IOS;
static const char bursts_in_all_windows[] =
	"100 times: 100 reads 10us apart, a pause of 299ms, " SINGLE_IOS;

static struct profile_arrival *arrival_of(const char *sentence)
{
	const uint64_t no_classes[PROFILE_SIZE_CLASSES] = {0};
	static struct profile_arrival arrival;
	struct made_workload made = workload_of(sentence);
	struct arrival_counts *counts;

	arrival = (struct profile_arrival){0};
	if (arrival_counts__create(time_grid_for(WINDOWS * 64, WINDOWS * WINDOW_NS - 1, 0),
				   WINDOWS * WINDOW_NS - 1, 8, no_classes, &counts))
		abort();
	for (uint64_t i = 0; i < made.ios; i++)
		arrival_counts__add(counts, made.rows[i].created_ns, false, 0);
	CHECK_EQ(arrival_counts__finish(counts, false, &arrival), 0);
	arrival_counts__free(counts);
	free(made.rows);
	return &arrival;
}

static uint64_t weight_of_rows(const struct profile_arrival *a, unsigned int from)
{
	uint64_t sum = 0;

	for (unsigned int g = 0; g < PROFILE_SPLIT_GROUPS; g++)
		for (unsigned int c = from; c < PROFILE_SPLIT_ROWS; c++)
			for (unsigned int i = 0; i < PROFILE_SPLIT_COLUMNS; i++)
				sum += a->splits[KIND_ALL].distributions[g][c][i];
	return sum;
}

static void what_is_kept_is_not_drawn_too(void)
{
	const struct profile_arrival *a = arrival_of(bursts_in_some_windows);

	CHECK_EQ(a->pinned_burst_count, 60);
	CHECK_EQ(a->pinned_bursts[59].ios[7], 100);
	/* Rows of 16 IOs and more are of neighbourhoods, the smaller ones are of the others. */
	CHECK_EQ(weight_of_rows(a, 4), 0);
	CHECK(weight_of_rows(a, 0) > 0);
	a = arrival_of(bursts_in_all_windows);
	CHECK_EQ(a->pinned_burst_count, PROFILE_PINNED_BURSTS_MAX);
	CHECK(weight_of_rows(a, 4) > 0);
}

int main(void)
{
	RUN(digits_are_possible_counts);
	RUN(any_digits_can_be_read);
	RUN(few_are_exact_and_many_nearly);
	RUN(the_busiest_are_kept);
	RUN(what_is_kept_is_not_drawn_too);
	return TEST_RESULT;
}
