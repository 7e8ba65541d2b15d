// SPDX-License-Identifier: MIT
/* A timer's period is found, stands in the profile, and is generated again. */
#include "base/units.h"
#include "profile/generate/generator.h"
#include "unit/profile/profiles.h"
#include "unit/shared/random.h"

#define DURATION_NS (900 * NSEC_PER_SEC)
#define PERIOD_NS   (5 * NSEC_PER_SEC)
#define TICK_NS	    (NSEC_PER_SEC / 4) /* how long it writes */
#define IOS_MAX	    60000u
#define QUIET_IOS   9000u /* at any time */
#define EIGHTHS	    8

struct arrivals {
	struct io_row rows[IOS_MAX];
	uint64_t ios;
};

static void add(struct arrivals *a, uint64_t time_ns, enum io_op op)
{
	a->rows[a->ios++] = (struct io_row){
		.created_ns = time_ns,
		.op = (uint8_t)op,
		.bytes = 4096,
		.sector = next_random() % (1u << 20) * 8,
		.device = 1,
	};
}

static int by_time(const void *a, const void *b)
{
	const struct io_row *left = a, *right = b;

	return left->created_ns < right->created_ns ? -1 : left->created_ns > right->created_ns;
}

/* Now and then an IO, mostly reads; from the first on. */
static struct arrivals *quiet(void)
{
	struct arrivals *a = calloc(1, sizeof(*a));

	if (!a)
		abort();
	for (uint32_t i = 0; i < QUIET_IOS; i++)
		add(a, i ? next_random() % DURATION_NS : 0, i % 8 ? IO_OP_READ : IO_OP_WRITE);
	return a;
}

/* 100 to 200 writes after each tick, far from the edges of a second. Each tick comes up to `late_ns` later than it should. */
static void add_timer(struct arrivals *a, uint64_t late_ns)
{
	uint64_t at_ns = NSEC_PER_SEC + NSEC_PER_SEC / 3;

	while (at_ns + TICK_NS < DURATION_NS) {
		uint64_t ios = 100 + next_random() % 101;

		while (ios--)
			add(a, at_ns + next_random() % TICK_NS, IO_OP_WRITE);
		at_ns += PERIOD_NS + (late_ns ? next_random() % late_ns : 0);
	}
}

static struct profile *profile_of_arrivals(struct arrivals *a)
{
	struct profile_extent extent = {.ios = a->ios, .end_sector = 8u << 20};

	qsort(a->rows, a->ios, sizeof(a->rows[0]), by_time);
	extent.duration_ns = a->rows[a->ios - 1].created_ns;
	return profile_through_text(profile_of(&extent, a->rows));
}

static bool is_about(uint64_t value, uint64_t wanted, unsigned int one_in)
{
	return value >= wanted - wanted / one_in && value <= wanted + wanted / one_in;
}

/* Autocorrelation of the counts of writes in seconds, five seconds later. */
static double repeats(const struct io_row *rows, uint64_t ios)
{
	static double counts[DURATION_NS / NSEC_PER_SEC + 1];
	const uint64_t seconds = DURATION_NS / NSEC_PER_SEC, lag = PERIOD_NS / NSEC_PER_SEC;
	double mean = 0, variance = 0, sum = 0;

	memset(counts, 0, sizeof(counts));
	for (uint64_t i = 0; i < ios; i++)
		counts[rows[i].created_ns / NSEC_PER_SEC] += rows[i].op == IO_OP_WRITE;
	for (uint64_t i = 0; i < seconds; i++)
		mean += counts[i] / (double)seconds;
	for (uint64_t i = 0; i < seconds; i++)
		variance += (counts[i] - mean) * (counts[i] - mean);
	for (uint64_t i = 0; i + lag < seconds; i++)
		sum += (counts[i] - mean) * (counts[i + lag] - mean);
	return sum / variance;
}

/* The least of a few seeds. */
static double generated_repeats(const struct profile *p)
{
	static struct io_row rows[IOS_MAX];
	double least = 1;

	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct profile_generator *generator;
		uint64_t ios = 0;
		double found;

		if (profile_generator__create(p, seed, &generator))
			abort();
		while (ios < IOS_MAX && profile_generator__next(generator, &rows[ios]) > 0)
			ios++;
		profile_generator__free(generator);
		found = repeats(rows, ios);
		least = found < least ? found : least;
	}
	return least;
}

static void a_timer_is_found(void)
{
	struct arrivals *a = quiet();
	struct profile *p;
	double wanted, found;

	add_timer(a, 0);
	p = profile_of_arrivals(a);
	wanted = repeats(a->rows, a->ios);
	found = generated_repeats(p);
	CHECK(is_about(p->arrival.period_ns, PERIOD_NS, 1000));
	CHECK(wanted > 0.8);
	CHECK(found > wanted - 0.1);
	if (found <= wanted - 0.1)
		printf("# %.3f, not %.3f\n", found, wanted);
	profile__free(p);
	free(a);
}

/* Reads have no part in it: they come as before. */
static void only_those_that_have_it_get_it(void)
{
	struct arrivals *a = quiet();
	struct profile *p;

	add_timer(a, 0);
	p = profile_of_arrivals(a);
	CHECK(p->arrival.kinds_known);
	CHECK(p->arrival.splits[0].period_shape[0] > 0);
	CHECK_EQ(p->arrival.splits[1].period_shape[0], 0);
	CHECK_EQ(p->arrival.splits[2].period_shape[0], 0);
	profile__free(p);
	free(a);
}

/* A timer that sleeps five seconds after its work comes ever later. */
static void a_timer_that_drifts_is_found(void)
{
	struct arrivals *a = quiet();
	struct profile *p;
	double wanted, found;

	add_timer(a, NSEC_PER_SEC / 20);
	p = profile_of_arrivals(a);
	wanted = repeats(a->rows, a->ios);
	found = generated_repeats(p);
	CHECK(is_about(p->arrival.period_ns, PERIOD_NS + NSEC_PER_SEC / 40, 500));
	CHECK(found > wanted - 0.15);
	if (found <= wanted - 0.15)
		printf("# %.3f, not %.3f\n", found, wanted);
	profile__free(p);
	free(a);
}

static void chance_has_none(void)
{
	struct arrivals *a = quiet();
	struct profile *p = profile_of_arrivals(a);

	CHECK_EQ(p->arrival.period_ns, 0);
	CHECK_EQ(p->arrival.splits[0].period_shape[0], 0);
	profile__free(p);
	free(a);
}

/* Nor have bursts at any time, as many and as large as those of a timer. */
static void bursts_have_none(void)
{
	struct arrivals *a = quiet();
	struct profile *p;

	for (unsigned int burst = 0; burst < DURATION_NS / PERIOD_NS; burst++) {
		uint64_t at_ns = next_random() % (DURATION_NS - TICK_NS);

		for (unsigned int i = 0; i < 150; i++)
			add(a, at_ns + next_random() % TICK_NS, IO_OP_WRITE);
	}
	p = profile_of_arrivals(a);
	CHECK_EQ(p->arrival.period_ns, 0);
	profile__free(p);
	free(a);
}

/* Nor has one half of the time that is busier than the other. */
static void a_trend_has_none(void)
{
	struct arrivals *a = quiet();
	struct profile *p;

	for (unsigned int i = 0; i < 20000; i++)
		add(a, DURATION_NS / 2 + next_random() % (DURATION_NS / 2), IO_OP_WRITE);
	p = profile_of_arrivals(a);
	CHECK_EQ(p->arrival.period_ns, 0);
	profile__free(p);
	free(a);
}

int main(void)
{
	RUN(a_timer_is_found);
	RUN(only_those_that_have_it_get_it);
	RUN(a_timer_that_drifts_is_found);
	RUN(chance_has_none);
	RUN(bursts_have_none);
	RUN(a_trend_has_none);
	return TEST_RESULT;
}
