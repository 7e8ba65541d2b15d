// SPDX-License-Identifier: MIT
/* A log of 1,500 blocks, over and over: each write begins with the last block of the one before. */
#include "profile/generate/generator.h"
#include "unit/profile/profiles.h"
#include "workload/figures/measure.h"

#define WRITES	   20000u
#define BLOCKS	   4u /* of a write */
#define LOG_BLOCKS 1500u
#define SEEDS	   4u

static struct io_row rows[WRITES];

static struct profile *build(void)
{
	uint64_t at = 0;

	for (uint64_t i = 0; i < WRITES; i++) {
		rows[i] = (struct io_row){.created_ns = i * 1000000,
					  .sector = at * BLOCK_SECTORS,
					  .bytes = BLOCKS * PAGE_BYTES,
					  .op = IO_OP_WRITE};
		at += BLOCKS - 1;
		if (at + BLOCKS > LOG_BLOCKS)
			at = 0;
	}
	return profile_of(&(struct profile_extent){.ios = WRITES,
						   .duration_ns = (WRITES - 1) * 1000000ull,
						   .end_sector = LOG_BLOCKS * BLOCK_SECTORS},
			  rows);
}

/* Writes that begin with the last block of the one before. */
static uint64_t generate(const struct profile *p, uint64_t seed)
{
	struct profile_generator *generator;
	uint64_t found = 0, last = UINT64_MAX;
	struct io_row row;

	if (profile_generator__create(p, seed, &generator))
		abort();
	while (profile_generator__next(generator, &row) > 0) {
		found += row.sector / BLOCK_SECTORS == last;
		last = row.sector / BLOCK_SECTORS + BLOCKS - 1;
	}
	profile_generator__free(generator);
	return found;
}

/* If whole writes were repeated instead, one place would be rewritten, and any cache would hold it. */
static void a_write_goes_on_from_the_last_block(void)
{
	struct profile *p = profile_through_text(build());

	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		CHECK(generate(p, seed) > WRITES * 9 / 10);
	profile__free(p);
}

int main(void)
{
	RUN(a_write_goes_on_from_the_last_block);
	return TEST_RESULT;
}
