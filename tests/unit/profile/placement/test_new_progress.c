// SPDX-License-Identifier: MIT
/* A few large writes fill the disk, then thousands of small IOs use it: the new blocks are found. */
#include "profile/generate/generator.h"
#include "profile/prng.h"
#include "workload/figures/measure.h"
#include "unit/profile/profiles.h"

#define FILLING	      400u
#define FILLING_BYTES (1u << 20)
#define EXTENT	      8u /* large writes that follow each other */
#define USING	      20000u
#define FIRST	      2000u /* reads before the disk is filled */
#define DISK_BLOCKS   (1u << 17)

static struct io_row rows[FIRST + FILLING + USING];
static bool touched[DISK_BLOCKS];

static struct io_row read_at(uint64_t i, uint64_t block)
{
	return (struct io_row){.created_ns = i * 1000000,
			       .sector = block * BLOCK_SECTORS,
			       .bytes = PAGE_BYTES,
			       .op = IO_OP_READ};
}

static struct profile *build(void)
{
	uint64_t filling_blocks = FILLING_BYTES / PAGE_BYTES, count = 0;
	struct prng random;

	prng_seed(&random, 3);
	for (; count < FIRST; count++)
		rows[count] = read_at(count, prng_below(&random, 500) * 2);
	for (uint64_t i = 0; i < FILLING; i++, count++) {
		/* The extents come from the last to the first: each ends where another one begins. */
		uint64_t at = FILLING - EXTENT - i / EXTENT * EXTENT + i % EXTENT;

		rows[count] = (struct io_row){
			.created_ns = count * 1000000,
			.sector = (2000 + at * filling_blocks) * BLOCK_SECTORS,
			.bytes = FILLING_BYTES,
			.op = IO_OP_WRITE,
		};
	}
	for (uint64_t i = 0; i < USING; i++, count++)
		rows[count] = read_at(count,
				      2000 + prng_below(&random, FILLING * filling_blocks / 2) * 2);
	return profile_of(&(struct profile_extent){.ios = count,
						   .duration_ns = (count - 1) * 1000000,
						   .end_sector = DISK_BLOCKS * BLOCK_SECTORS},
			  rows);
}

static uint64_t touch(const struct io_row *row)
{
	uint64_t first = row->sector / BLOCK_SECTORS, found = 0;

	for (uint64_t i = first; i < first + row->bytes / PAGE_BYTES && i < DISK_BLOCKS; i++) {
		found += !touched[i];
		touched[i] = true;
	}
	return found;
}

static void large_writes_fill_the_disk(void)
{
	struct profile *p = profile_through_text(build());
	uint64_t of_trace = FILLING * FILLING_BYTES / PAGE_BYTES, found = 0;
	struct profile_generator *generator;
	struct io_row row;

	if (profile_generator__create(p, 2, &generator))
		abort();
	while (profile_generator__next(generator, &row) > 0)
		if (row.op == IO_OP_WRITE)
			found += touch(&row);
	CHECK(found > of_trace * 9 / 10);
	CHECK(found <= of_trace);
	profile_generator__free(generator);
	profile__free(p);
}

int main(void)
{
	RUN(large_writes_fill_the_disk);
	return TEST_RESULT;
}
