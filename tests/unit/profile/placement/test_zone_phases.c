// SPDX-License-Identifier: MIT
/* Where new blocks lie while that changes: it must come back at the same time. */
#include "profile/generate/generator.h"
#include "profile/placement/zone_phases.h"
#include "unit/profile/profiles.h"

#define IOS	 12000u
#define SEEDS	 11u
#define DURATION (120 * NSEC_PER_SEC)
#define DEVICE	 (8ull << 30)

/* Reads in the first quarter of the device and later in its third, or in both all the time. */
static const char moves[] = "6000 reads 10ms apart at random in 256M; "
			    "6000 reads 10ms apart at random in 256M from 4G; seed 8";
static const char stays[] = "12000 reads 10ms apart at random in 256M from 0 or 4G; seed 8";

static struct profile *build(const char *sentence)
{
	struct made_workload made = workload_of(sentence);
	struct profile *p = profile_of_workload(&made, DEVICE);

	free(made.rows);
	return p;
}

/* IOs that are not in the quarter of their time. */
static unsigned int count_elsewhere(const struct profile *p, uint64_t seed)
{
	struct profile_generator *generator;
	unsigned int rows = 0, elsewhere = 0;
	struct io_row row;

	if (profile_generator__create(p, seed, &generator))
		abort();
	while (profile_generator__next(generator, &row) > 0) {
		rows++;
		elsewhere += row.sector * SECTOR_BYTES / (DEVICE / 4) !=
			     (row.created_ns < DURATION / 2 ? 0 : 2);
	}
	CHECK_EQ(rows, IOS);
	profile_generator__free(generator);
	return elsewhere;
}

static void follow_the_time(void)
{
	struct profile *p = profile_through_text(build(moves));
	unsigned int few = 0;

	REQUIRE(p);
	CHECK(zone_phases_row(&p->streams[0], 0) == p->streams[0].zone_phases[0]);
	CHECK(zone_phases_row(&p->streams[0], 11) == p->streams[0].zone_phases[0]);
	CHECK(zone_phases_row(&p->streams[0], 23) == p->streams[0].zone_phases[12]);
	/*
	 * The phase in which it moves is one, and some blocks are read again. Mixed, it would be
	 * half.
	 */
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		few += count_elsewhere(p, seed) < IOS / 12;
	CHECK(2 * few > SEEDS);
	profile__free(p);
}

static void are_not_said_where_they_stay(void)
{
	struct profile *p = build(stays);

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
