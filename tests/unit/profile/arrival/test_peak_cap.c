// SPDX-License-Identifier: MIT
/* Bursts that never met in a trace must not meet in what its profile gives. */
#include "profile/generate/generator.h"
#include "profile/prng.h"
#include "unit/profile/profiles.h"
#include "workload/figures/measure.h"

#define SECONDS	  700u
#define BURSTS	  6u  /* a second, of a sixth of it each */
#define BURST_IOS 20u /* in 2 ms; half of the bursts have a tenth of that */
#define SEEDS	  5u

static struct io_row row_at(uint64_t time_ns)
{
	return (struct io_row){.created_ns = time_ns, .bytes = 4096, .op = IO_OP_READ};
}

static struct profile *build(struct workload_measure *measure)
{
	uint64_t part_ns = 1000000000ull / BURSTS, ios = 0, first_ns = 0, last_ns = 0;
	static uint64_t times_ns[SECONDS * BURSTS * BURST_IOS];
	static struct io_row rows[SECONDS * BURSTS * BURST_IOS];
	struct prng random;

	prng_seed(&random, 6);
	for (uint64_t burst = 0; burst < SECONDS * BURSTS; burst++) {
		uint64_t at_ns = burst * part_ns + prng_below(&random, part_ns - 15000000);
		uint64_t count = prng_next(&random) >> 63 ? BURST_IOS : BURST_IOS / 10;

		for (uint64_t i = 0; i < count; i++)
			times_ns[ios++] = at_ns + i * 100000;
	}
	first_ns = times_ns[0];
	last_ns = times_ns[ios - 1] - first_ns;
	for (uint64_t i = 0; i < ios; i++) {
		rows[i] = row_at(times_ns[i] - first_ns);
		CHECK_EQ(workload_measure__add(measure, &rows[i]), 0);
	}
	return profile_of(&(struct profile_extent){.ios = ios,
						   .duration_ns = last_ns,
						   .end_sector = 1u << 20},
			  rows);
}

static uint64_t generated_peak(const struct profile *p, uint64_t seed)
{
	struct profile_generator *generator;
	struct workload_measure *measure;
	struct io_row row;
	uint64_t peak;

	if (workload_measure__create(0, &measure) || profile_generator__create(p, seed, &generator))
		abort();
	while (profile_generator__next(generator, &row) > 0)
		CHECK_EQ(workload_measure__add(measure, &row), 0);
	peak = workload_measure__finish(measure)->peak_10ms_ios;
	profile_generator__free(generator);
	workload_measure__free(measure);
	return peak;
}

static void are_no_higher(void)
{
	struct workload_measure *measure;
	struct profile *p;
	uint64_t peak;

	REQUIRE(!workload_measure__create(0, &measure));
	p = build(measure);
	peak = workload_measure__finish(measure)->peak_10ms_ios;
	CHECK_EQ(peak, BURST_IOS);
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		uint64_t found = generated_peak(p, seed);

		CHECK(4 * found >= 3 * peak && 4 * found <= 5 * peak);
		if (4 * found > 5 * peak)
			printf("# %llu\n", (unsigned long long)found);
	}
	profile__free(p);
	workload_measure__free(measure);
}

int main(void)
{
	RUN(are_no_higher);
	return TEST_RESULT;
}
