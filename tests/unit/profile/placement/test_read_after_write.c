// SPDX-License-Identifier: MIT
/* What was written is read, and what was read is read again: which of both is kept. */
#include "profile/generate/generator.h"
#include "profile/prng.h"
#include "unit/profile/profiles.h"

#define IOS    20000u
#define BLOCKS (1u << 18)
#define RECENT 64u

static struct io_row rows[IOS];

/*
 * Every other IO is a write of a new block. In between either each of the last written blocks is
 * read once (read_written), or some blocks that nobody writes are read over and over.
 */
static struct profile *build(bool read_written)
{
	struct prng random;

	prng_seed(&random, 8);
	for (uint64_t i = 0; i < IOS; i++) {
		uint64_t block = 1000 + i, before = i < 2 * RECENT ? i : 2 * RECENT - 1;

		if (i & 1)
			block = read_written ? 1000 + i - before : prng_below(&random, RECENT);
		rows[i] = (struct io_row){.created_ns = i * 1000000,
					  .sector = block * 8,
					  .bytes = 4096,
					  .op = i & 1 ? IO_OP_READ : IO_OP_WRITE};
		/* Apart from each other, so that nothing is sequential. */
		rows[i].sector = rows[i].sector * 2;
	}
	return profile_of(&(struct profile_extent){.ios = IOS,
						   .duration_ns = (IOS - 1) * 1000000ull,
						   .end_sector = BLOCKS * 8},
			  rows);
}

/* Reads of blocks that were touched before, and of these such that were written last, per mille. */
static void generate(const struct profile *p, uint64_t *again, uint64_t *written_permille)
{
	static uint8_t last[BLOCKS]; /* 0, 1 read, 2 written */
	struct profile_generator *generator;
	uint64_t written = 0;
	struct io_row row;

	memset(last, 0, sizeof(last));
	*again = 0;
	if (profile_generator__create(p, 2, &generator))
		abort();
	while (profile_generator__next(generator, &row) > 0) {
		uint8_t *block = &last[row.sector / 8];

		*again += row.op == IO_OP_READ && *block;
		written += row.op == IO_OP_READ && *block == 2;
		*block = row.op == IO_OP_READ ? 1 : 2;
	}
	*written_permille = *again ? written * 1000 / *again : 0;
	profile_generator__free(generator);
}

static void forget(struct profile *p)
{
	for (uint32_t i = 0; i < p->stream_count; i++)
		p->streams[i].read_after_write_known = false;
}

static void what_was_written_is_read(void)
{
	struct profile *p = profile_through_text(build(true));
	uint64_t again, permille;

	generate(p, &again, &permille);
	CHECK(again > IOS / 3);
	CHECK(permille > 900);
	/* A profile that does not say it reads more of what was read. */
	forget(p);
	generate(p, &again, &permille);
	CHECK(permille < 800);
	profile__free(p);
}

static void what_was_read_is_read_again(void)
{
	struct profile *p = profile_through_text(build(false));
	uint64_t again, permille;

	generate(p, &again, &permille);
	CHECK(again > IOS / 3);
	CHECK(permille < 100);
	forget(p);
	generate(p, &again, &permille);
	CHECK(permille > 200);
	profile__free(p);
}

/* Where there are only reads, or only writes, there is nothing to say. */
static void one_op_says_nothing(void)
{
	struct profile *p;

	for (uint64_t i = 0; i < IOS; i++)
		rows[i] = (struct io_row){.created_ns = i * 1000000,
					  .sector = i % 100 * 16,
					  .bytes = 4096,
					  .op = IO_OP_READ};
	p = profile_of(&(struct profile_extent){.ios = IOS,
						.duration_ns = (IOS - 1) * 1000000ull,
						.end_sector = BLOCKS * 8},
		       rows);
	for (uint32_t i = 0; i < p->stream_count; i++)
		CHECK(!p->streams[i].read_after_write_known);
	CHECK(!p->spaces[0].written_known);
	profile__free(p);
}

/* Blocks that no IO touched before: how many of them are written, per mille. */
static uint64_t new_written_permille(const struct profile *p)
{
	static bool touched[BLOCKS];
	struct profile_generator *generator;
	uint64_t all = 0, written = 0;
	struct io_row row;

	memset(touched, 0, sizeof(touched));
	if (profile_generator__create(p, 4, &generator))
		abort();
	while (profile_generator__next(generator, &row) > 0) {
		bool *block = &touched[row.sector / 8];

		all += !*block;
		written += !*block && row.op == IO_OP_WRITE;
		*block = true;
	}
	profile_generator__free(generator);
	return all ? written * 1000 / all : 0;
}

/* Nine reads in ten go to new blocks, nine writes in ten over old ones. */
static void reads_and_writes_have_their_own_new_blocks(void)
{
	struct prng random;
	struct profile *p;
	uint64_t wanted;

	prng_seed(&random, 5);
	for (uint64_t i = 0; i < IOS; i++) {
		bool reads = i & 1, old = prng_below(&random, 10) < (reads ? 1 : 9);
		uint64_t block = old ? prng_below(&random, 500) : 1000 + i * 4;

		rows[i] = (struct io_row){.created_ns = i * 1000000,
					  .sector = block * 16,
					  .bytes = 4096,
					  .op = reads ? IO_OP_READ : IO_OP_WRITE};
	}
	p = profile_through_text(
		profile_of(&(struct profile_extent){.ios = IOS,
						    .duration_ns = (IOS - 1) * 1000000ull,
						    .end_sector = BLOCKS * 8},
			   rows));
	CHECK(p->spaces[0].written_known);
	wanted = new_written_permille(p);
	CHECK(wanted > 60 && wanted < 160);
	for (unsigned int i = 0; i < p->phase_count; i++)
		p->spaces[0].written_permille[i] = 500;
	/* The draws say as before, but half of what is new is to be written. */
	CHECK(new_written_permille(p) > 2 * wanted);
	profile__free(p);
}

int main(void)
{
	RUN(what_was_written_is_read);
	RUN(what_was_read_is_read_again);
	RUN(reads_and_writes_have_their_own_new_blocks);
	RUN(one_op_says_nothing);
	return TEST_RESULT;
}
