// SPDX-License-Identifier: MIT
/* Where the reads of a profile come: exact in each window, together where they came together. */
#include "profile/generate/generator.h"
#include "profile/prng.h"
#include "profile/arrival/read_split.h"
#include "unit/profile/profiles.h"

/* Every split of up to 24 IOs: what is drawn can be, and falls into the column it was drawn for. */
static void draws_are_possible(void)
{
	struct prng random;

	prng_seed(&random, 1);
	for (uint64_t ios = 2; ios <= 24; ios++)
		for (uint64_t busier = (ios + 1) / 2; busier <= ios; busier++)
			for (uint64_t reads = 0; reads <= ios; reads++) {
				struct read_split split = {ios, reads, busier};
				uint32_t shares[PROFILE_SHARE_ROWS][PROFILE_SHARE_COLUMNS] = {0};
				unsigned int row = read_split_row(&split);
				uint64_t only, drawn;

				REQUIRE(row < PROFILE_SHARE_ROWS);
				if (!read_split_is_open(&split, &only)) {
					CHECK(only <= reads && only <= busier);
					CHECK(reads - only <= ios - busier);
					continue;
				}
				for (unsigned int bin = 0; bin <= PROFILE_SHARE_COLUMNS; bin++) {
					memset(shares, 0, sizeof(shares));
					if (bin < PROFILE_SHARE_COLUMNS)
						shares[row][bin] = 1;
					drawn = read_split_draw(&split, shares, &random);
					CHECK(drawn <= reads && drawn <= busier);
					CHECK(reads - drawn <= ios - busier);
					if (bin == 0 || bin == PROFILE_SHARE_COLUMNS - 1)
						CHECK_EQ(read_split_column(&split, drawn), bin);
				}
			}
}

/* With many IOs every column is met by what is drawn for it. */
static void columns_are_met(void)
{
	struct read_split split = {1 << 20, 1 << 19, 3 << 18};
	unsigned int row = read_split_row(&split);
	struct prng random;

	prng_seed(&random, 2);
	for (unsigned int bin = 0; bin < PROFILE_SHARE_COLUMNS; bin++) {
		uint32_t shares[PROFILE_SHARE_ROWS][PROFILE_SHARE_COLUMNS] = {0};

		shares[row][bin] = 1;
		for (unsigned int i = 0; i < 100; i++)
			CHECK_EQ(
				read_split_column(&split, read_split_draw(&split, shares, &random)),
				bin);
	}
}

static uint32_t window_of(uint64_t time_ns, uint64_t duration_ns, uint32_t windows)
{
	uint32_t window = (uint32_t)(time_ns * windows / duration_ns);

	return window < windows ? window : windows - 1;
}

/* Bursts of reads alone or of writes alone. */
static const char pure_bursts[] = "2000 times: 20 reads or writes 100us apart at random in 4G, "
				  "a pause of 50ms to 150ms; seed 3";

/* IOs whose op is that of the one before, of those that came less than 1 ms after it; per cent. */
static unsigned int generate(struct profile *p, uint64_t reads[PROFILE_WINDOWS_MAX])
{
	struct profile_generator *generator;
	struct io_row row, last = {0};
	uint64_t close = 0, same = 0;

	if (profile_generator__create(p, 5, &generator))
		abort();
	while (profile_generator__next(generator, &row) > 0) {
		if (row.op == IO_OP_READ)
			reads[window_of(row.created_ns, p->duration_ns, p->arrival.window_count)]++;
		if (row.created_ns - last.created_ns < 1000000) {
			close++;
			same += row.op == last.op;
		}
		last = row;
	}
	profile_generator__free(generator);
	return close ? (unsigned int)(same * 100 / close) : 0;
}

static void reads_come_where_they_came(void)
{
	struct made_workload made = workload_of(pure_bursts);
	struct profile *p = profile_of_workload(&made, 0);
	uint64_t reads[PROFILE_WINDOWS_MAX] = {0}, expected[PROFILE_WINDOWS_MAX] = {0};

	CHECK(p->arrival.reads_known);
	/* The order of streams alone no longer tells: any may follow any. */
	for (uint32_t i = 0; i < p->stream_count; i++)
		memset(p->streams[i].next, 0, sizeof(p->streams[i].next));
	CHECK(generate(p, reads) >= 90);
	for (unsigned int i = 0; i < made.ios; i++)
		if (made.rows[i].op == IO_OP_READ)
			expected[window_of(made.rows[i].created_ns, p->duration_ns,
					   p->arrival.window_count)]++;
	for (uint32_t i = 0; i < p->arrival.window_count; i++) {
		CHECK_EQ(p->arrival.reads[i], expected[i]);
		CHECK(reads[i] + 1 >= expected[i] && reads[i] <= expected[i] + 1);
	}
	profile__free(p);
	/* Where bursts are of both, it says that, too. */
	for (unsigned int i = 0; i < made.ios; i++)
		made.rows[i].op = i % 7 < 3 ? IO_OP_READ : IO_OP_WRITE;
	p = profile_of_workload(&made, 0);
	for (uint32_t i = 0; i < p->stream_count; i++)
		memset(p->streams[i].next, 0, sizeof(p->streams[i].next));
	memset(reads, 0, sizeof(reads));
	CHECK(generate(p, reads) < 70);
	profile__free(p);
	free(made.rows);
}

int main(void)
{
	RUN(draws_are_possible);
	RUN(columns_are_met);
	RUN(reads_come_where_they_came);
	return TEST_RESULT;
}
