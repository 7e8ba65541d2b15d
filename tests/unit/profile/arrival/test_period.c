// SPDX-License-Identifier: MIT
/* Splits of what a period leaves, and the way back. */
#include "profile/arrival/period.h"
#include "profile/generate/generator.h"
#include "unit/profile/profiles.h"

#define SECOND_NS 1000000000ull

static void equal_halves_change_nothing(void)
{
	struct prng random;
	struct period_halves even = {7, 7};

	prng_seed(&random, 1);
	CHECK_EQ(period_flatten(even, 3, 8), 3);
	CHECK_EQ(period_bend(even, 3, 8, &random), 3);
	CHECK_EQ(period_first_permille(even, 8, 11), 500);
	CHECK_EQ(period_flatten((struct period_halves){0}, 3, 8), 3);
}

static void the_share_of_the_period_is_even(void)
{
	struct period_halves halves = {300, 100};

	CHECK_EQ(period_flatten(halves, 75, 25), 50);
	CHECK_EQ(period_flatten(halves, 100, 0), 66);
	CHECK_EQ(period_flatten(halves, 0, 100), 0);
}

static void what_is_flat_is_bent_back(void)
{
	struct prng random;
	struct period_halves halves = {300, 100};
	uint64_t sum = 0;

	prng_seed(&random, 1);
	for (unsigned int left = 1; left < 1000; left++) {
		uint64_t flat = period_flatten(halves, left, 1000 - left);
		uint64_t bent = period_bend(halves, flat, 1000 - flat, &random);

		CHECK(bent + 2 >= left && bent <= left + 2);
	}
	/* A share that is no whole number is right in the mean. */
	for (unsigned int i = 0; i < 10000; i++)
		sum += period_bend(halves, 1, 1, &random);
	CHECK(sum > 14800 && sum < 15200);
}

/* Whatever the split, in the mean each half has its share. */
static void the_mean_stays(void)
{
	struct period_halves halves = {300, 100};
	struct prng random;

	prng_seed(&random, 1);
	for (uint64_t n = 1; n < 40; n += 3)
		for (uint64_t more = n - n / 2; more <= n; more++) {
			uint32_t permille = period_first_permille(halves, more, n);
			uint64_t sum = 0;

			for (unsigned int i = 0; i < 20000; i++) {
				uint64_t left =
					prng_below(&random, 1000) < permille ? more : n - more;

				sum += period_bend(halves, left, n - left, &random);
			}
			CHECK(sum * 4 > n * 20000 * 3 * 95 / 100);
			CHECK(sum * 4 < n * 20000 * 3 * 105 / 100);
		}
}

static void halves_are_those_of_the_shape(void)
{
	static struct profile_arrival model = {
		.period_ns = 4 * SECOND_NS, .window_count = 2, .split_levels = 10};
	struct profile_splits *splits = &model.splits[0];
	struct period_halves halves;
	struct period period;

	for (unsigned int i = 0; i < PROFILE_PERIOD_PARTS; i++)
		splits->period_shape[i] = i < PROFILE_PERIOD_PARTS / 4 ? 3 : 1;
	model.period_shift[1] = PROFILE_PERIOD_PARTS / 4;
	period_init(&period, &model, splits, 16 * SECOND_NS, 2);
	/* 8 s, 4 s ... 500 ms: halves of 250 ms are as long as two parts. */
	CHECK_EQ(period.levels, 5);
	halves = period_halves(&period, 0, 0, SECOND_NS, 2 * SECOND_NS);
	CHECK_EQ(halves.first, 3 * halves.second);
	halves = period_halves(&period, 0, 2 * SECOND_NS, 4 * SECOND_NS, 6 * SECOND_NS);
	CHECK_EQ(halves.second, 2 * halves.first);
	halves = period_halves(&period, 1, 8 * SECOND_NS, 9 * SECOND_NS, 10 * SECOND_NS);
	CHECK_EQ(halves.first, halves.second);
}

static void without_a_shape_there_is_none(void)
{
	static const struct profile_arrival model = {
		.period_ns = SECOND_NS, .window_count = 1, .split_levels = 10};
	struct period period;

	period_init(&period, &model, &model.splits[0], SECOND_NS, 1);
	CHECK_EQ(period.levels, 0);
}

/* Of five seconds the last has 96 % of the IOs; a part is 156 ms long, a split twice that. */
static void a_period_can_be_written_by_hand(void)
{
	static const char text[] = "[profile]\nversion = 1\nios = 20000\nduration = 60s\n"
				   "end = 1GiB\n[arrival]\nperiod = 5s\n"
				   "period_shape = 1 1 1 1 96\n"
				   "[stream 1]\nop = write\nsize = 4K\n";
	char message[PROFILE_MESSAGE_MAX] = "";
	struct profile_generator *generator;
	struct io_row row;
	struct profile *p;
	uint64_t last = 0;

	if (profile__parse(text, strlen(text), &p, message) ||
	    profile_generator__create(p, 1, &generator))
		abort();
	while (profile_generator__next(generator, &row) > 0)
		last += row.created_ns / SECOND_NS % 5 == 4;
	CHECK(last > 15500 && last < 19500);
	profile_generator__free(generator);
	profile__free(p);
}

/* Of fewer values each is of a longer part: zeros at the end have to be written. */
static void what_is_saved_is_read_again(void)
{
	static const char text[] = "[profile]\nversion = 1\nios = 20\nduration = 60s\n"
				   "end = 1GiB\n[arrival]\nperiod = 5s\n"
				   "period_shape = 4 0\n[stream 1]\nop = write\nsize = 4K\n";
	const unsigned int half = PROFILE_PERIOD_PARTS / 2;
	char message[PROFILE_MESSAGE_MAX] = "";
	const uint32_t *shape;
	struct profile *p;

	if (profile__parse(text, strlen(text), &p, message))
		abort();
	p = profile_through_text(p);
	shape = p->arrival.splits[2].period_shape;
	CHECK_EQ(p->arrival.period_ns, 5 * SECOND_NS);
	CHECK_EQ(shape[half - 1], 4);
	CHECK_EQ(shape[half], 0);
	profile__free(p);
}

int main(void)
{
	RUN(equal_halves_change_nothing);
	RUN(the_share_of_the_period_is_even);
	RUN(what_is_flat_is_bent_back);
	RUN(the_mean_stays);
	RUN(halves_are_those_of_the_shape);
	RUN(a_period_can_be_written_by_hand);
	RUN(what_is_saved_is_read_again);
	RUN(without_a_shape_there_is_none);
	return TEST_RESULT;
}
