// SPDX-License-Identifier: MIT
/* A file is written, read at random, read whole by a backup; then other blocks are rewritten. */
#include "profile/generate/generator.h"
#include "profile/prng.h"
#include "unit/profile/profiles.h"
#include "workload/figures/measure.h"

#define PIECE_BLOCKS 32u
#define PIECES	     512u
#define FILE_BLOCKS  (PIECES * PIECE_BLOCKS)
#define READS	     20000u
#define SEEDS	     4u
#define REWRITES     40000u
#define REWRITTEN    64u /* blocks */
#define REWRITTEN_AT (2 * FILE_BLOCKS)
#define DISK_BLOCKS  (4 * FILE_BLOCKS)

static struct io_row rows[2 * PIECES + READS + REWRITES];

static struct io_row row_of(uint64_t i, enum io_op op, uint64_t block, uint64_t blocks)
{
	return (struct io_row){.created_ns = i * 1000000,
			       .sector = block * BLOCK_SECTORS,
			       .bytes = (uint32_t)(blocks * PAGE_BYTES),
			       .op = (uint8_t)op};
}

static struct profile *build(void)
{
	struct prng random;
	uint64_t count = 0;

	prng_seed(&random, 9);
	for (uint64_t i = 0; i < PIECES; i++, count++)
		rows[count] = row_of(count, IO_OP_WRITE, i * PIECE_BLOCKS, PIECE_BLOCKS);
	for (uint64_t i = 0; i < READS; i++, count++)
		rows[count] = row_of(count, IO_OP_READ, prng_below(&random, FILE_BLOCKS), 1);
	for (uint64_t i = 0; i < PIECES; i++, count++)
		rows[count] = row_of(count, IO_OP_READ, i * PIECE_BLOCKS, PIECE_BLOCKS);
	for (uint64_t i = 0; i < REWRITES; i++, count++)
		rows[count] = row_of(count, IO_OP_WRITE,
				     REWRITTEN_AT + 2 * prng_below(&random, REWRITTEN), 1);
	return profile_of(&(struct profile_extent){.ios = count,
						   .duration_ns = (count - 1) * 1000000,
						   .end_sector = DISK_BLOCKS * BLOCK_SECTORS},
			  rows);
}

/* Blocks that the backup reads, each counted once. */
static uint64_t generate(const struct profile *p, uint64_t seed)
{
	static bool read[DISK_BLOCKS];
	struct profile_generator *generator;
	uint64_t blocks = 0, found = 0;
	struct io_row row;

	memset(read, 0, sizeof(read));
	if (profile_generator__create(p, seed, &generator))
		abort();
	while (profile_generator__next(generator, &row) > 0) {
		uint64_t first = row.sector / BLOCK_SECTORS;

		if (row.op != IO_OP_READ || row.bytes == PAGE_BYTES)
			continue;
		for (uint64_t i = first; i < first + row.bytes / PAGE_BYTES; i++, blocks++) {
			found += !read[i];
			read[i] = true;
		}
	}
	CHECK_EQ(blocks, FILE_BLOCKS);
	profile_generator__free(generator);
	return found;
}

/* If ages came alike at all times, the backup would read half of the file, and much of it twice. */
static void a_backup_reads_most_blocks_once(void)
{
	struct profile *p = profile_through_text(build());
	uint64_t found = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		found += generate(p, seed);
	CHECK(found > (uint64_t)SEEDS * FILE_BLOCKS * 6 / 10);
	profile__free(p);
}

int main(void)
{
	RUN(a_backup_reads_most_blocks_once);
	return TEST_RESULT;
}
