// SPDX-License-Identifier: MIT
/* Bursts of large IOs stay large, and bursts of small IOs small, each where it was. */
#include "profile/generate/generator.h"
#include "profile/prng.h"
#include "unit/profile/profiles.h"

#define WINDOWS	  100u
#define WINDOW_NS 1000000000ull
#define BURST	  100u
#define SINGLE	  20u /* IOs in a window beside its burst, if it has one */
#define BURSTS	  60u
#define LARGE	  65536u
#define SEEDS	  5u

static struct io_row rows[WINDOWS * (BURST + SINGLE)];

static bool is_large_burst(uint64_t window)
{
	return window * 7 % 10 < 4;
}

/* Bursts of 20 ms in the first windows, and IOs of any size everywhere, of which some read. */
static struct profile *build(bool some_read)
{
	struct profile_extent extent = {.end_sector = 1u << 28};
	struct prng random;

	prng_seed(&random, 1);
	for (uint64_t window = 0; window < WINDOWS; window++)
		for (uint64_t i = 0; i < BURST + SINGLE; i++) {
			bool in_burst = i < BURST, is_large = prng_next(&random) >> 63;
			uint64_t at_ns = in_burst ? i * 200000 : 30000000 + (i - BURST) * 48000000;

			if (in_burst && window >= BURSTS)
				continue;
			if (in_burst)
				is_large = is_large_burst(window);
			rows[extent.ios] = (struct io_row){
				.created_ns = window * WINDOW_NS + at_ns,
				.sector = prng_below(&random, 1u << 20) * 256,
				.bytes = is_large ? LARGE : 4096,
				.op = some_read && !in_burst && i % 2 ? IO_OP_READ : IO_OP_WRITE,
			};
			size_octaves_add(&extent.sizes, &rows[extent.ios++]);
		}
	extent.duration_ns = rows[extent.ios - 1].created_ns;
	return profile_through_text(profile_of(&extent, rows));
}

static void check_bursts(const struct profile *p, uint64_t seed)
{
	uint64_t large[WINDOWS] = {0}, ios[WINDOWS] = {0};
	struct profile_generator *generator;
	struct io_row row;

	if (profile_generator__create(p, seed, &generator))
		abort();
	while (profile_generator__next(generator, &row) > 0) {
		uint64_t window = row.created_ns / WINDOW_NS;

		if (window < BURSTS && row.created_ns % WINDOW_NS < 25000000) {
			ios[window]++;
			large[window] += row.bytes == LARGE;
		}
	}
	profile_generator__free(generator);
	for (uint64_t window = 1; window < BURSTS; window++) {
		/* A burst across the seam of two windows may lose a part. */
		CHECK(ios[window] > BURST / 3);
		if (is_large_burst(window))
			CHECK(10 * large[window] >= 8 * ios[window]);
		else
			CHECK(10 * large[window] <= 2 * ios[window]);
	}
}

static void of_writes_alone(void)
{
	struct profile *p = build(false);

	CHECK(p->arrival.pinned_burst_count >= BURSTS && p->arrival.pinned_bursts[0].sized);
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		check_bursts(p, seed);
	profile__free(p);
}

static void beside_reads(void)
{
	struct profile *p = build(true);

	CHECK(p->arrival.kinds_known && p->arrival.pinned_bursts[0].sized);
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		check_bursts(p, seed);
	profile__free(p);
}

int main(void)
{
	RUN(of_writes_alone);
	RUN(beside_reads);
	return TEST_RESULT;
}
