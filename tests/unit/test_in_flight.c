/* Which IOs have to wait for one that is in flight, and what is counted of those that complete. */
#include "replay/engine_result.h"
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

/* Two that differ in nothing, and one each that differs in length, time of submission and op. */
static void test_what_completes_together_is_counted_one_by_one(void)
{
	static const enum replay_op ops[] = {REPLAY_READ, REPLAY_READ, REPLAY_READ, REPLAY_READ,
					     REPLAY_WRITE};
	static const uint64_t lengths[] = {4096, 4096, 8192, 8192, 8192};
	static const struct engine_options options = {.iodepth = 5, .mode = ENGINE_ASAP};
	const struct engine_op_result *reads = &result.ops[REPLAY_READ];
	uint32_t slots[5];

	engine_result__init(&result);
	REQUIRE(!in_flight__init(&flight, &options, &result));
	in_flight__start(&flight, &options, 0);
	for (unsigned int i = 0; i < 5; i++)
		slots[i] = take(ops[i], 0, lengths[i]);
	in_flight__submitted(&flight, slots, 3, 100);
	in_flight__submitted(&flight, &slots[3], 2, 150);
	for (unsigned int i = 0; i < 5; i++)
		in_flight__completed(&flight, slots[i], (int32_t)lengths[i], 200);
	in_flight__account(&flight, 200);
	in_flight__account(&flight, 300);
	CHECK_EQ(reads->issued, 4);
	CHECK_EQ(reads->completed, 4);
	CHECK_EQ(reads->bytes, 2 * 4096 + 2 * 8192);
	CHECK_EQ(result.ops[REPLAY_WRITE].completed, 1);
	CHECK_EQ(result.ops[REPLAY_WRITE].bytes, 8192);
	CHECK_EQ(reads->sizes[0].submitted_ns.count, 2);
	CHECK_EQ(reads->sizes[1].submitted_ns.count, 2);
	CHECK_EQ(reads->sizes[1].submitted_ns.min, 50);
	CHECK_EQ(reads->sizes[1].submitted_ns.max, 100);
	in_flight__free(&flight);
}

static void test_what_was_due_at_different_times_differs(void)
{
	static const struct engine_options options = {.iodepth = 2, .mode = ENGINE_TIMED};
	const struct engine_latency *latency = &result.ops[REPLAY_READ].sizes[0];
	uint32_t slots[2];

	engine_result__init(&result);
	REQUIRE(!in_flight__init(&flight, &options, &result));
	in_flight__start(&flight, &options, 0);
	for (unsigned int i = 0; i < 2; i++) {
		CHECK(schedule_depth_admit(&flight.depth));
		slots[i] = in_flight__take(&flight, AT(REPLAY_READ, 0, 4096), 10 + 10 * i);
	}
	in_flight__submitted(&flight, slots, 2, 100);
	for (unsigned int i = 0; i < 2; i++)
		in_flight__completed(&flight, slots[i], 4096, 200);
	in_flight__account(&flight, 200);
	CHECK_EQ(latency->intended_ns.count, 2);
	CHECK_EQ(latency->intended_ns.min, 180);
	CHECK_EQ(latency->intended_ns.max, 190);
	CHECK_EQ(result.lateness_ns.min, 80);
	CHECK_EQ(result.lateness_ns.max, 90);
	in_flight__free(&flight);
}

int main(void)
{
	RUN(test_a_discard_waits_for_writes_before_it);
	RUN(test_reads_and_writes_wait_for_discards_only);
	RUN(test_a_flush_overlaps_nothing);
	RUN(test_what_completes_together_is_counted_one_by_one);
	RUN(test_what_was_due_at_different_times_differs);
	return TEST_RESULT;
}
