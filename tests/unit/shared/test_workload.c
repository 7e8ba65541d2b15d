// SPDX-License-Identifier: MIT
/* Sentences of workload.h and the IOs that they describe. */
#include "unit/shared/test.h"
#include "unit/shared/workload.h"

static void steps_follow_each_other_in_time(void)
{
	static const uint64_t times_us[] = {0, 100, 5200, 5300, 10400};
	struct made_workload w =
		workload_of("2 times: 2 reads 100us apart, a pause of 5ms; 1 write");

	REQUIRE(w.ios == 5);
	for (unsigned int i = 0; i < 5; i++) {
		CHECK_EQ(w.rows[i].created_ns, times_us[i] * NSEC_PER_USEC);
		CHECK_EQ(w.rows[i].op, i < 4 ? IO_OP_READ : IO_OP_WRITE);
		CHECK_EQ(w.rows[i].bytes, 4096);
		CHECK_EQ(w.rows[i].sector, 0);
	}
	CHECK_EQ(w.duration_ns, 10400 * NSEC_PER_USEC);
	CHECK_EQ(w.end_sector, 8);
	free(w.rows);
}

static void ios_lie_where_the_sentence_says(void)
{
	static const uint64_t sectors[] = {0, 128, 0, 8, 0, 0, 256, 1056, 1856};
	struct made_workload w =
		workload_of("2 writes of 64k in sequence, 3 reads in turn at 2 places, "
			    "1 flush, 3 reads 400k further each");

	REQUIRE(w.ios == 9);
	for (unsigned int i = 0; i < 9; i++)
		CHECK_EQ(w.rows[i].sector, sectors[i]);
	CHECK_EQ(w.rows[1].bytes, 65536);
	CHECK_EQ(w.rows[5].bytes, 0);
	CHECK_EQ(w.end_sector, 1864);
	free(w.rows);
}

static void draws_stay_within_their_bounds(void)
{
	struct made_workload w =
		workload_of("1000 times: 1 or 3 reads or writes of 4k or 8k 1us to 2us apart "
			    "at random in 1M from 1G or 2G anywhere in 1ms, "
			    "1 discard in 1 of 10; seed 7");
	uint64_t reads = 0, large = 0, high = 0, discards = 0;

	CHECK(w.ios > 1900 && w.ios < 2300);
	for (uint64_t i = 0; i < w.ios; i++) {
		const struct io_row *row = &w.rows[i];

		if (row->op == IO_OP_DISCARD) {
			discards++;
			continue;
		}
		reads += row->op == IO_OP_READ;
		large += row->bytes == 8192;
		high += row->sector >= 2 << 21;
		CHECK(row->sector % (2 << 20) < 2048);
		CHECK_EQ(row->sector >> 21, row->sector >= 2 << 21 ? 2 : 1);
	}
	CHECK(discards > 60 && discards < 140);
	CHECK(reads > 900 && reads < 1100);
	CHECK(large > 900 && large < 1100);
	CHECK(high > 900 && high < 1100);
	CHECK(w.duration_ns < 1000 * NSEC_PER_MSEC && w.duration_ns > 998 * NSEC_PER_MSEC);
	free(w.rows);
}

static void the_same_sentence_gives_the_same_ios(void)
{
	const char *sentence = "100 reads 1ms to 9ms apart at random in 1G; seed 3";
	struct made_workload a = workload_of(sentence), b = workload_of(sentence);
	struct made_workload other =
		workload_of("100 reads 1ms to 9ms apart at random in 1G; seed 4");

	CHECK(!memcmp(a.rows, b.rows, 100 * sizeof(*a.rows)));
	CHECK(memcmp(a.rows, other.rows, 100 * sizeof(*a.rows)) != 0);
	free(a.rows);
	free(b.rows);
	free(other.rows);
}

int main(void)
{
	RUN(steps_follow_each_other_in_time);
	RUN(ios_lie_where_the_sentence_says);
	RUN(draws_stay_within_their_bounds);
	RUN(the_same_sentence_gives_the_same_ios);
	return TEST_RESULT;
}
