// SPDX-License-Identifier: MIT
/* A profile of half the footprint: what caches of a share of it hold stays. */
#include <math.h>

#include "profile/generate/generator.h"
#include "profile/operations/operations.h"
#include "profile/prng.h"
#include "unit/profile/profiles.h"
#include "workload/figures/measure.h"

#define IOS	   12000u
#define DEVICE	   (1ull << 22) /* sectors */
#define DURATION   60000000000ull
#define BLOCK	   8u /* sectors */
#define HALF_SHIFT 4u /* points of the curve for half the size */

/*
 * Reads of 4 KiB: `again_pct` of them of one that was read before, all others of blocks in no
 * order.
 */
static struct profile *build(unsigned int again_pct)
{
	struct profile_extent extent = {.ios = IOS,
					.duration_ns = DURATION,
					.end_sector = DEVICE,
					.device_bytes = DEVICE * 512};
	static struct io_row rows[IOS];
	uint64_t fresh = 0;
	struct prng random;

	prng_seed(&random, 4);
	for (uint64_t i = 0; i < IOS; i++) {
		bool again = fresh && prng_below(&random, 100) < again_pct;
		uint64_t number = again ? prng_below(&random, fresh) : fresh++;

		rows[i] = (struct io_row){.created_ns = DURATION * i / (IOS - 1),
					  .sector = number * 77777 % (DEVICE / BLOCK) * BLOCK,
					  .bytes = 4096,
					  .op = IO_OP_READ};
	}
	return profile_of(&extent, rows);
}

static struct workload_measure *generate(const struct profile *p)
{
	struct profile_generator *generator;
	struct workload_measure *measure;
	struct io_row row;

	if (workload_measure__create(0, &measure) || profile_generator__create(p, 1, &generator))
		abort();
	while (profile_generator__next(generator, &row) > 0)
		CHECK_EQ(workload_measure__add(measure, &row), 0);
	profile_generator__free(generator);
	return measure;
}

static void check_half(unsigned int again_pct)
{
	struct profile *p = build(again_pct);
	struct workload_measure *measures[2] = {generate(p)};
	const struct mrc_curve *whole, *half;
	double sum = 0;
	unsigned int points = 0;

	profile__scale(p, &(struct profile_scale){.load = 1, .time = 1, .footprint = 0.5});
	CHECK_EQ(profile__check(p, (char[PROFILE_MESSAGE_MAX]){0}), 0);
	measures[1] = generate(p);
	whole = &workload_measure__finish(measures[0])->mrc;
	half = &workload_measure__finish(measures[1])->mrc;
	CHECK_EQ(workload_measure__finish(measures[1])->ios, IOS);
	CHECK(fabs((double)half->footprint_blocks / (double)whole->footprint_blocks - 0.5) < 0.03);
	/* Near the whole footprint, what was new before is a hit now. */
	for (unsigned int i = HALF_SHIFT; 5 * mrc_point_blocks(i) < 4 * whole->footprint_blocks;
	     i++) {
		sum += fabs(half->miss_ratio[i - HALF_SHIFT] - whole->miss_ratio[i]);
		points++;
	}
	CHECK(sum / points < 0.05);
	profile__free(p);
	for (unsigned int i = 0; i < 2; i++)
		workload_measure__free(measures[i]);
}

static void of_what_is_all_new(void)
{
	check_half(0);
}

static void of_what_is_nearly_all_new(void)
{
	check_half(10);
}

static void of_what_is_half_new(void)
{
	check_half(50);
}

/* A timer is slower, too; none that is faster than a profile can say. */
static void of_time_stretches_the_period(void)
{
	static struct profile p;

	p.arrival.period_ns = 2 * PROFILE_PERIOD_NS_MIN;
	p.arrival.splits[0].period_shape[0] = 1;
	profile__scale(&p, &(struct profile_scale){.load = 1, .time = 3, .footprint = 1});
	CHECK_EQ(p.arrival.period_ns, 6 * PROFILE_PERIOD_NS_MIN);
	CHECK_EQ(p.arrival.splits[0].period_shape[0], 1);
	profile__scale(&p, &(struct profile_scale){.load = 1, .time = 0.1, .footprint = 1});
	CHECK_EQ(p.arrival.period_ns, 0);
	CHECK_EQ(p.arrival.splits[0].period_shape[0], 0);
}

int main(void)
{
	RUN(of_time_stretches_the_period);
	RUN(of_what_is_all_new);
	RUN(of_what_is_nearly_all_new);
	RUN(of_what_is_half_new);
	return TEST_RESULT;
}
