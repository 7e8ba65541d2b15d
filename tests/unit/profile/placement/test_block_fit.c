// SPDX-License-Identifier: MIT
/*
 * How requests lie on the blocks of 4 KiB, which decides how many they touch, and how large they
 * are where sizes are many.
 */
#include "profile/generate/generator.h"
#include "profile/prng.h"
#include "unit/profile/profiles.h"
#include "workload/figures/measure.h"

#define IOS	 20000u
#define DURATION 60000000000ull
#define CHUNK	 64u /* sectors: no request goes beyond a multiple of so many */
#define DEVICE	 (1ull << 25)
#define BLOCK	 8u

struct fit {
	uint64_t straddles, ends, blocks; /* requests; blocks that they touch, with repetitions */
};

static void note(struct fit *fit, const struct io_row *row)
{
	uint64_t sectors = row->bytes / 512, first = row->sector / BLOCK;
	uint64_t blocks = (row->sector + sectors - 1) / BLOCK - first + 1;

	fit->blocks += blocks;
	fit->straddles += blocks > (sectors + BLOCK - 1) / BLOCK;
	fit->ends += (row->sector + sectors) % BLOCK == 0;
}

/*
 * Writes of some hundred sectors from any sector on, cut into requests at every multiple of CHUNK,
 * one after the other.
 */
static struct profile *build(struct fit *fit)
{
	struct profile_extent extent = {.ios = IOS,
					.duration_ns = DURATION,
					.end_sector = DEVICE,
					.device_bytes = DEVICE * 512};
	static struct io_row rows[IOS];
	uint64_t sector = 0, left = 0;
	struct prng random;

	prng_seed(&random, 4);
	for (uint64_t i = 0; i < IOS; i++) {
		uint64_t sectors;

		if (!left) {
			sector = prng_below(&random, DEVICE - 1024);
			left = 100 + prng_below(&random, 600);
		}
		sectors = CHUNK - sector % CHUNK < left ? CHUNK - sector % CHUNK : left;
		rows[i] = (struct io_row){.created_ns = DURATION * i / (IOS - 1),
					  .sector = sector,
					  .bytes = sectors * 512,
					  .op = IO_OP_WRITE};
		note(fit, &rows[i]);
		sector += sectors;
		left -= sectors;
	}
	return profile_of(&extent, rows);
}

static void expect_near(const char *what, uint64_t is, uint64_t was, uint64_t apart)
{
	uint64_t difference = is > was ? is - was : was - is;

	if (difference > apart)
		printf("# %s: %llu, was %llu\n", what, (unsigned long long)is,
		       (unsigned long long)was);
	CHECK(difference <= apart);
}

static void requests_lie_as_they_did(void)
{
	struct fit was = {0}, is = {0};
	struct profile *p = profile_through_text(build(&was));
	struct profile_generator *generator;
	struct io_row row;

	REQUIRE(p);
	REQUIRE(!profile_generator__create(p, 1, &generator));
	while (profile_generator__next(generator, &row) > 0)
		note(&is, &row);
	expect_near("straddle", is.straddles, was.straddles, IOS / 20);
	expect_near("end where a block does", is.ends, was.ends, IOS / 20);
	expect_near("blocks", is.blocks, was.blocks, was.blocks / 50);
	profile_generator__free(generator);
	profile__free(p);
}

/* 1,000 sizes, of which 130 are most: the large ones come back as fewer, but not as fewer bytes. */
static void bytes_stay_where_sizes_are_many(void)
{
	struct profile_extent extent = {.ios = IOS,
					.duration_ns = DURATION,
					.end_sector = DEVICE,
					.device_bytes = DEVICE * 512};
	static struct io_row rows[IOS];
	uint64_t was = 0, is = 0;
	struct profile *p;
	struct prng random;

	prng_seed(&random, 9);
	for (uint64_t i = 0; i < IOS; i++) {
		uint64_t sectors =
			i % 3 ? 1 + prng_below(&random, 130) : 131 + prng_below(&random, 870);

		rows[i] = (struct io_row){.created_ns = DURATION * i / (IOS - 1),
					  .sector = prng_below(&random, DEVICE - 1024),
					  .bytes = sectors * 512,
					  .op = IO_OP_WRITE};
		was += rows[i].bytes;
	}
	p = profile_through_text(profile_of(&extent, rows));
	REQUIRE(p);
	for (uint32_t i = 0; i < p->stream_count; i++)
		for (uint32_t j = 0; j < p->streams[i].size_count; j++)
			is += p->streams[i].sizes[j].ios * p->streams[i].sizes[j].bytes;
	expect_near("bytes", is, was, was / 200);
	profile__free(p);
}

/*
 * Every block is read somewhere and written at once, so of two touches one is of the block before.
 */
static void what_was_touched_last_is_touched_again(void)
{
	struct profile_extent extent = {.ios = IOS,
					.duration_ns = DURATION,
					.end_sector = DEVICE,
					.device_bytes = DEVICE * 512};
	static struct io_row rows[IOS];
	struct profile_generator *generator;
	uint64_t again = 0, last = UINT64_MAX;
	struct profile *p;
	struct prng random;
	struct io_row row;

	prng_seed(&random, 5);
	for (uint64_t i = 0; i < IOS; i++)
		rows[i] = (struct io_row){
			.created_ns = DURATION * i / (IOS - 1),
			.sector = i % 2 ? rows[i - 1].sector
					: BLOCK * prng_below(&random, DEVICE / BLOCK),
			.bytes = 512 * BLOCK,
			.op = i % 2 ? IO_OP_WRITE : IO_OP_READ};
	p = profile_through_text(profile_of(&extent, rows));
	REQUIRE(p);
	REQUIRE(!profile_generator__create(p, 1, &generator));
	while (profile_generator__next(generator, &row) > 0) {
		again += row.sector == last;
		last = row.sector;
	}
	expect_near("touched again at once", again, IOS / 2, IOS / 20);
	profile_generator__free(generator);
	profile__free(p);
}

static uint64_t footprint(struct workload_measure *m)
{
	return workload_measure__finish(m)->mrc.footprint_blocks;
}

/* What the profile of these rows gives touches as many blocks, but for one in so many. */
static void expect_footprint(const struct profile_extent *extent, const struct io_row *rows,
			     uint64_t one_in)
{
	struct workload_measure *was, *is;
	struct profile_generator *generator;
	struct profile *p = profile_through_text(profile_of(extent, rows));
	struct io_row row;

	REQUIRE(p);
	REQUIRE(!workload_measure__create(0, &was) && !workload_measure__create(0, &is));
	REQUIRE(!profile_generator__create(p, 1, &generator));
	for (uint64_t i = 0; i < extent->ios; i++)
		CHECK_EQ(workload_measure__add(was, &rows[i]), 0);
	while (profile_generator__next(generator, &row) > 0)
		CHECK_EQ(workload_measure__add(is, &row), 0);
	expect_near("footprint", footprint(is), footprint(was), footprint(was) / one_in);
	profile_generator__free(generator);
	workload_measure__free(was);
	workload_measure__free(is);
	profile__free(p);
}

/*
 * Two files are written in large pieces, then 16 pieces each from anywhere in them on: what goes on
 * there must not leave what was touched, though most recent ends have nothing old after them.
 */
static void rewriting_touches_nothing_new(void)
{
	struct profile_extent extent = {.ios = IOS,
					.duration_ns = DURATION,
					.end_sector = DEVICE,
					.device_bytes = DEVICE * 512};
	const uint64_t sectors = 512 * BLOCK, run = 16, whole = 200;
	static struct io_row rows[IOS];
	struct prng random;

	prng_seed(&random, 6);
	for (uint64_t i = 0; i < IOS; i++) {
		uint64_t goes_on = i && (i < whole ? i % (whole / 2) : i % run);
		uint64_t begin =
			i < whole ? i * sectors * 4 : rows[prng_below(&random, whole - run)].sector;

		rows[i] = (struct io_row){.created_ns = DURATION * i / (IOS - 1),
					  .sector = goes_on ? rows[i - 1].sector + sectors : begin,
					  .bytes = sectors * 512,
					  .op = IO_OP_WRITE};
	}
	expect_footprint(&extent, rows, 33);
}

/*
 * Four fifths of the device are written once, in pieces one after the other, from places in no
 * order on.
 */
static void what_is_written_once_stays_new(void)
{
	const uint64_t run = 50, slots = IOS / run;
	struct profile_extent extent = {.ios = IOS, .duration_ns = DURATION};
	static struct io_row rows[IOS];
	struct prng random;
	uint64_t order[IOS / 50];

	prng_seed(&random, 8);
	for (uint64_t i = 0; i < slots; i++) {
		uint64_t at = prng_below(&random, i + 1);

		order[i] = order[at];
		order[at] = i;
	}
	for (uint64_t i = 0, sector = 0; i < IOS; i++) {
		uint64_t sectors = BLOCK * (1 + i % 3 * 3);

		sector = i % run ? sector : order[i / run] * run * 5 * BLOCK;
		rows[i] = (struct io_row){.created_ns = DURATION * i / (IOS - 1),
					  .sector = sector,
					  .bytes = sectors * 512,
					  .op = IO_OP_WRITE};
		sector += sectors;
		if (sector > extent.end_sector)
			extent.end_sector = sector;
	}
	extent.device_bytes = extent.end_sector * 512;
	expect_footprint(&extent, rows, 100);
}

int main(void)
{
	RUN(requests_lie_as_they_did);
	RUN(what_was_touched_last_is_touched_again);
	RUN(rewriting_touches_nothing_new);
	RUN(what_is_written_once_stays_new);
	RUN(bytes_stay_where_sizes_are_many);
	return TEST_RESULT;
}
