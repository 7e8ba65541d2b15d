// SPDX-License-Identifier: MIT
/* Figures of parts: each is moved by a difference in that part alone, by a known amount. */
#include "unit/shared/test.h"

#include <math.h>

#include "workload/figures/local_figures.h"
#include "workload/figures/run_lengths.h"

#define IOS	     8000u
#define APART_NS     1000000ull
#define BLOCK_SECTOR 8ull
#define SECTORS	     (64ull << 20)

/* IO i of the workload that all others differ from: reads and writes in turn, each of its own block. */
static struct io_row plain(uint32_t i)
{
	return (struct io_row){.created_ns = 5 + i * APART_NS,
			       .op = i % 2 ? IO_OP_WRITE : IO_OP_READ,
			       .sector = (uint64_t)i * 8111 % (SECTORS / 64) * 64,
			       .bytes = 4096};
}

/* The third eighth has larger reads, which touch twice as many blocks. */
static struct io_row third_eighth_is_large(uint32_t i)
{
	struct io_row row = plain(i);

	if (i >= 2000 && i < 3000 && row.op == IO_OP_READ)
		row.bytes = 12288;
	return row;
}

/* Reads come again after 100 others; all blocks together are as many. */
static struct io_row reads_come_again(uint32_t i)
{
	struct io_row row = plain(i);

	if (i % 2 == 0)
		row.sector = plain(i % 200).sector;
	return row;
}

static struct io_row in_one_zone(uint32_t i)
{
	struct io_row row = plain(i);

	row.sector %= SECTORS / 64;
	return row;
}

/* Runs of 10 IOs. */
static struct io_row in_runs(uint32_t i)
{
	struct io_row row = plain(i / 20 * 20);

	row.op = plain(i).op;
	row.sector += (i % 2 ? SECTORS / 2 : 0) + i % 20 / 2 * BLOCK_SECTOR;
	return row;
}

static struct local_measure *measured(struct io_row (*make)(uint32_t i))
{
	struct local_extent extent = {.duration_ns = (IOS - 1) * APART_NS,
				      .end_sector = SECTORS,
				      .exact_blocks = 1u << 20};
	struct local_measure *m = NULL;

	CHECK_EQ(local_measure__create(&extent, &m), 0);
	for (uint32_t i = 0; i < IOS; i++) {
		struct io_row row = make(i);

		CHECK_EQ(local_measure__add(m, &row), 0);
	}
	return m;
}

static void compare(struct io_row (*make)(uint32_t i), double figures[LOCAL_FIGURES])
{
	struct local_measure *a = measured(plain), *b = measured(make);

	local_measure__compare(a, b, figures);
	local_measure__free(a);
	local_measure__free(b);
}

static bool about(double value, double wanted)
{
	return fabs(value - wanted) < 0.002;
}

static void the_same_is_the_same(void)
{
	double f[LOCAL_FIGURES];

	compare(plain, f);
	for (unsigned int i = 0; i < LOCAL_FIGURES; i++)
		CHECK(f[i] == (local_figure_is_ratio(i) ? 1 : 0));
}

static void an_eighth_is_off(void)
{
	double f[LOCAL_FIGURES];

	compare(third_eighth_is_large, f);
	/* Half of its IOs have another size, and three blocks instead of one. */
	CHECK(about(f[LOCAL_EIGHTH_SIZE_TVD], 0.5));
	CHECK(about(f[LOCAL_EIGHTH_FOOTPRINT_RATIO], 2));
	CHECK(f[LOCAL_WRITE_FOOTPRINT_RATIO] == 1);
	CHECK(about(f[LOCAL_READ_FOOTPRINT_RATIO], (4000 + 2 * 500) / 4000.0));
}

static void one_op_is_off(void)
{
	double f[LOCAL_FIGURES];

	compare(reads_come_again, f);
	CHECK(about(f[LOCAL_READ_FOOTPRINT_RATIO], 100 / 4000.0));
	CHECK(f[LOCAL_READ_MRC_MAE] > 0.3);
	CHECK(f[LOCAL_WRITE_MRC_MAE] == 0);
	CHECK(f[LOCAL_EIGHTH_SIZE_TVD] == 0);
}

static void places_are_off(void)
{
	double f[LOCAL_FIGURES];

	compare(in_one_zone, f);
	CHECK(about(f[LOCAL_ZONES_TVD], 63 / 64.0));
	compare(in_runs, f);
	CHECK(f[LOCAL_RUN_KS] == 1);
}

/* A part with few IOs says nothing. */
static void few_ios_say_nothing(void)
{
	struct local_extent extent = {.duration_ns = 1000, .end_sector = 800, .exact_blocks = 100};
	struct local_measure *a = NULL, *b = NULL;
	double f[LOCAL_FIGURES];

	CHECK_EQ(local_measure__create(&extent, &a), 0);
	CHECK_EQ(local_measure__create(&extent, &b), 0);
	for (uint32_t i = 0; i < LOCAL_IOS_MIN - 1; i++) {
		struct io_row row = {.op = IO_OP_READ, .bytes = 512};

		CHECK_EQ(local_measure__add(a, &row), 0);
	}
	local_measure__compare(a, b, f);
	for (unsigned int i = 0; i < LOCAL_FIGURES; i++)
		CHECK(isnan(f[i]));
	local_measure__free(a);
	local_measure__free(b);
}

/* Each IO counts the length of its run; the oldest of too many open runs ends. */
static void runs_are_counted(void)
{
	struct run_lengths runs = {0};
	struct histogram lengths;

	histogram_init(&lengths);
	for (uint64_t i = 0; i < 3; i++)
		run_lengths_add(&runs, 100 + i, 512, &lengths);
	for (uint64_t i = 0; i < RUN_LENGTHS_OPEN - 1; i++)
		run_lengths_add(&runs, 10000 * (i + 1), 512, &lengths);
	CHECK_EQ(lengths.count, 0);
	run_lengths_add(&runs, 5, 512, &lengths);
	CHECK_EQ(lengths.count, 3);
	CHECK_EQ(lengths.min, 3);
	/* A repeated IO is no run. */
	run_lengths_add(&runs, 5, 512, &lengths);
	CHECK_EQ(lengths.count, 4);
	run_lengths_end(&runs, &lengths);
	CHECK_EQ(lengths.count, 3 + RUN_LENGTHS_OPEN + 1);
	CHECK_EQ(runs.count, 0);
}

int main(void)
{
	RUN(the_same_is_the_same);
	RUN(an_eighth_is_off);
	RUN(one_op_is_off);
	RUN(places_are_off);
	RUN(few_ios_say_nothing);
	RUN(runs_are_counted);
	return TEST_RESULT;
}
