/* Which IOs have to wait for one that is in flight. */
#include "replay/in_flight.h"
#include "unit/test.h"

#define AT(kind, offset, length)    \
	(&(const struct replay_io){ \
		.op = (kind), .offset_bytes = (offset), .length_bytes = (length)})

static struct in_flight flight;
static struct engine_result result;

static void begin(void)
{
	static const struct engine_options options = {.iodepth = 4};

	REQUIRE(!in_flight__init(&flight, &options, &result));
	in_flight__start(&flight, &options, 0);
}

static uint32_t take(enum replay_op op, uint64_t offset, uint64_t length)
{
	CHECK(schedule_depth_admit(&flight.depth));
	return in_flight__take(&flight, AT(op, offset, length), 0);
}

static void test_a_discard_waits_for_writes_before_it(void)
{
	static const enum replay_op passing[] = {REPLAY_DISCARD, REPLAY_WRITE_ZEROES};

	for (unsigned int i = 0; i < 2; i++) {
		uint32_t slot;

		begin();
		CHECK(!in_flight__overlaps(&flight, AT(passing[i], 0, 1 << 20)));
		take(REPLAY_WRITE, 65536, 4096);
		slot = take(REPLAY_WRITE, 8192, 4096);
		CHECK(in_flight__overlaps(&flight, AT(passing[i], 0, 8193)));
		CHECK(in_flight__overlaps(&flight, AT(passing[i], 12287, 512)));
		CHECK(!in_flight__overlaps(&flight, AT(passing[i], 0, 8192)));
		CHECK(!in_flight__overlaps(&flight, AT(passing[i], 12288, 4096)));
		in_flight__completed(&flight, slot, 4096, 1);
		CHECK(!in_flight__overlaps(&flight, AT(passing[i], 0, 16384)));
		CHECK(in_flight__overlaps(&flight, AT(passing[i], 0, 1 << 20)));
		in_flight__free(&flight);
	}
}

static void test_reads_and_writes_wait_for_discards_only(void)
{
	begin();
	take(REPLAY_WRITE, 0, 4096);
	CHECK(!in_flight__overlaps(&flight, AT(REPLAY_WRITE, 0, 4096)));
	CHECK(!in_flight__overlaps(&flight, AT(REPLAY_READ, 0, 4096)));
	take(REPLAY_DISCARD, 4096, 4096);
	CHECK(in_flight__overlaps(&flight, AT(REPLAY_READ, 4096, 512)));
	CHECK(in_flight__overlaps(&flight, AT(REPLAY_WRITE, 0, 8192)));
	in_flight__free(&flight);
}

static void test_a_flush_overlaps_nothing(void)
{
	begin();
	take(REPLAY_FLUSH, 0, 0);
	CHECK(!in_flight__overlaps(&flight, AT(REPLAY_DISCARD, 0, 4096)));
	take(REPLAY_DISCARD, 0, 4096);
	CHECK(!in_flight__overlaps(&flight, AT(REPLAY_FLUSH, 0, 0)));
	in_flight__free(&flight);
}

int main(void)
{
	RUN(test_a_discard_waits_for_writes_before_it);
	RUN(test_reads_and_writes_wait_for_discards_only);
	RUN(test_a_flush_overlaps_nothing);
	return TEST_RESULT;
}
