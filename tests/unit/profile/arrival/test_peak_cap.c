// SPDX-License-Identifier: MIT
/* Bursts that never met in a trace must not meet in what its profile gives. */
#include "profile/generate/generator.h"
#include "unit/profile/profiles.h"
#include "workload/figures/measure.h"

#define SEEDS	  5u
#define BURST_IOS 20u

/* Six bursts a second, of 20 IOs or 2, never two of them within 10 ms. */
static const char bursts[] =
	"4200 times: 20 or 2 reads 100us apart anywhere in 153667us, a pause of 13ms; seed 6";

static uint64_t peak_of(const struct made_workload *made)
{
	struct workload_measure *measure;
	uint64_t peak;

	if (workload_measure__create(0, &measure))
		abort();
	for (uint64_t i = 0; i < made->ios; i++)
		CHECK_EQ(workload_measure__add(measure, &made->rows[i]), 0);
	peak = workload_measure__finish(measure)->peak_10ms_ios;
	workload_measure__free(measure);
	return peak;
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
	struct made_workload made = workload_of(bursts);
	struct profile *p = profile_of_workload(&made, 0);
	uint64_t peak = peak_of(&made);

	CHECK_EQ(peak, BURST_IOS);
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		uint64_t found = generated_peak(p, seed);

		CHECK(4 * found >= 3 * peak && 4 * found <= 5 * peak);
		if (4 * found > 5 * peak)
			printf("# %llu\n", (unsigned long long)found);
	}
	profile__free(p);
	free(made.rows);
}

int main(void)
{
	RUN(are_no_higher);
	return TEST_RESULT;
}
