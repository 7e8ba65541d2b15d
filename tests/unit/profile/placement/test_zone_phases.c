// SPDX-License-Identifier: MIT
/* Where new blocks lie while that changes: it must come back at the same time. */
#include "profile/generate/generator.h"
#include "profile/prng.h"
#include "profile/placement/zone_phases.h"
#include "unit/profile/profiles.h"

#define IOS	 12000u
#define DURATION 120000000000ull
#define DEVICE	 (1ull << 24) /* sectors */

/* Reads in the first quarter of the device in the first half of the time, later in its third; or in both all the time. */
static struct profile *build(bool moves)
{
	struct profile_extent extent = {.ios = IOS,
					.duration_ns = DURATION,
					.end_sector = DEVICE,
					.device_bytes = DEVICE * 512};
	static struct io_row rows[IOS];
	struct prng random;

	prng_seed(&random, 8);
	for (uint64_t i = 0; i < IOS; i++) {
		bool third = moves ? i >= IOS / 2 : prng_next(&random) >> 63;

		rows[i] = (struct io_row){.created_ns = DURATION * i / (IOS - 1),
					  .sector = (third ? DEVICE / 2 : 0) +
						    prng_below(&random, DEVICE / 32) * 8,
					  .bytes = 4096,
					  .op = IO_OP_READ};
	}
	return profile_of(&extent, rows);
}

static void follow_the_time(void)
{
	struct profile *p = profile_through_text(build(true));
	struct profile_generator *generator;
	unsigned int rows = 0, elsewhere = 0;
	struct io_row row;

	REQUIRE(p);
	CHECK(zone_phases_row(&p->streams[0], 0) == p->streams[0].zone_phases[0]);
	CHECK(zone_phases_row(&p->streams[0], 11) == p->streams[0].zone_phases[0]);
	CHECK(zone_phases_row(&p->streams[0], 23) == p->streams[0].zone_phases[12]);
	REQUIRE(!profile_generator__create(p, 1, &generator));
	while (profile_generator__next(generator, &row) > 0) {
		rows++;
		elsewhere += row.sector / (DEVICE / 4) != (row.created_ns < DURATION / 2 ? 0 : 2);
	}
	CHECK_EQ(rows, IOS);
	/* The phase in which it moves is one, and some blocks are read again. Mixed, it would be half. */
	if (elsewhere >= IOS / 12)
		printf("# %u elsewhere\n", elsewhere);
	CHECK(elsewhere < IOS / 12);
	profile_generator__free(generator);
	profile__free(p);
}

static void are_not_said_where_they_stay(void)
{
	struct profile *p = build(false);

	for (uint32_t i = 0; i < PROFILE_PHASES_MAX; i++)
		CHECK(zone_phases_row(&p->streams[0], i) == p->streams[0].zones);
	profile__free(p);
}

static void few_starts_tell_nothing(void)
{
	uint32_t counts[PROFILE_PHASES_MAX][PROFILE_ZONES] = {{0}};
	uint32_t rows[PROFILE_PHASES_MAX][PROFILE_ZONES] = {{0}};

	for (uint32_t p = 0; p < PROFILE_PHASES_MAX; p++)
		counts[p][p] = 1;
	zone_phases_fill(counts, PROFILE_PHASES_MAX, rows);
	for (uint32_t p = 0; p < PROFILE_PHASES_MAX; p++)
		for (uint32_t i = 0; i < PROFILE_ZONES; i++)
			CHECK_EQ(rows[p][i], 0);
}

int main(void)
{
	RUN(follow_the_time);
	RUN(are_not_said_where_they_stay);
	RUN(few_starts_tell_nothing);
	return TEST_RESULT;
}
