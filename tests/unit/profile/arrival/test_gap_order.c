// SPDX-License-Identifier: MIT
/* Short gaps that come in a row in a trace come in a row in what its profile gives. */
#include "profile/arrival/gap_order.h"
#include "profile/generate/generator.h"
#include "profile/operations/operations.h"
#include "unit/profile/profiles.h"

#define BURST	20u	 /* IOs */
#define PEAK_NS 60000ull /* in this time */
#define SEEDS	3u

/* Bursts of 60 IOs: 30 of them 2 us apart, 30 some 25 us, or the same gaps in any order. */
static const char fast_then_slow[] =
	"1500 times: 30 reads 1500ns to 2500ns apart, 30 reads 20us to 30us apart, "
	"a pause of 100ms to 300ms; seed 3";
static const char fast_and_slow_mixed[] =
	"90000 times: 1 read 1500ns to 2500ns apart, a pause of 18us to 28us in 1 of 2, "
	"a pause of 100ms to 300ms in 1 of 60; seed 3";

/* IOs that are the last of 20 within 60 us, of a thousand. */
static uint64_t burst_permille(const struct profile *p, uint64_t seed)
{
	struct profile_generator *generator;
	uint64_t times_ns[BURST] = {0}, in_burst = 0, ios = 0;
	struct io_row row;

	if (profile_generator__create(p, seed, &generator))
		abort();
	for (; profile_generator__next(generator, &row) > 0; ios++) {
		/* What stands there still is the 20th before. */
		if (ios >= BURST && row.created_ns - times_ns[(ios + 1) % BURST] <= PEAK_NS)
			in_burst++;
		times_ns[ios % BURST] = row.created_ns;
	}
	profile_generator__free(generator);
	return in_burst * 1000 / ios;
}

static bool says_order(const struct profile *p)
{
	for (unsigned int before = 0; before < PROFILE_GAP_OCTAVES; before++)
		for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++)
			if (p->arrival.gap_after[before][o])
				return true;
	return false;
}

/* In the trace 183 of a thousand are, but none where gaps come in any order. */
static void runs_stay_together(void)
{
	struct profile *p = profile_through_text(profile_of_sentence(fast_then_slow));

	CHECK(says_order(p));
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		uint64_t in_burst = burst_permille(p, seed);

		CHECK(in_burst >= 120 && in_burst <= 280);
		if (in_burst < 120 || in_burst > 280)
			printf("# %llu\n", (unsigned long long)in_burst);
	}
	memset(p->arrival.gap_after, 0, sizeof(p->arrival.gap_after));
	CHECK(burst_permille(p, 1) < 10);
	profile__free(p);
}

static void any_order_is_not_said(void)
{
	struct profile *p = profile_of_sentence(fast_and_slow_mixed);

	CHECK(!says_order(p));
	profile__free(p);
}

/* Twice the load: gaps inside of bursts are half as long, so all is said of an octave lower. */
static void scales_with_the_gaps(void)
{
	struct profile *p = profile_of_sentence(fast_then_slow);
	struct profile twice = *p;

	profile__scale(&twice, &(struct profile_scale){.load = 2, .time = 1, .footprint = 1});
	for (unsigned int before = 2; before < PROFILE_GAP_OCTAVES; before++)
		for (unsigned int o = 2; o < PROFILE_GAP_OCTAVES; o++)
			CHECK_EQ(twice.arrival.gap_after[before - 1][o - 1],
				 p->arrival.gap_after[before][o]);
	profile__free(p);
}

/*
 * Rows that a hand may have written: only what is after a gap of 1 us and more, and a huge weight.
 */
static void takes_any_rows(void)
{
	struct profile_arrival arrival = {0};
	struct gap_order order;

	gap_order_init(&order, &arrival);
	CHECK_EQ(order.groups, 1);
	CHECK_EQ(order.lifts[gap_order_group(&order, 5)][7], GAP_LIFT_EVEN);

	arrival.gap_after[10][4] = UINT32_MAX;
	arrival.gap_after[20][4] = 1;
	arrival.gap_after[20][5] = 1;
	gap_order_init(&order, &arrival);
	CHECK_EQ(order.groups, 2);
	CHECK_EQ(gap_order_group(&order, 0), 0);
	CHECK_EQ(gap_order_group(&order, UINT64_MAX), 1);
	CHECK_EQ(order.lifts[0][5], 0);
	CHECK(order.lifts[1][5] > 1000 * GAP_LIFT_EVEN / 64);
}

int main(void)
{
	RUN(runs_stay_together);
	RUN(any_order_is_not_said);
	RUN(scales_with_the_gaps);
	RUN(takes_any_rows);
	return TEST_RESULT;
}
