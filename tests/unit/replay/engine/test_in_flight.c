// SPDX-License-Identifier: MIT
/* Which IOs have to wait for one that is in flight, and what is counted of those that complete. */
#include "replay/engine/result.h"
#include "replay/engine/in_flight.h"
#include "unit/shared/test.h"

#include <errno.h>

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
static void test_ios_that_complete_together_are_counted_one_by_one(void)
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

static void test_latency_since_due_depends_on_the_due_time(void)
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

static void test_a_short_io_is_a_failure(void)
{
	uint32_t slots[3];

	engine_result__init(&result);
	begin();
	slots[0] = take(REPLAY_READ, 0, 4096);
	slots[1] = take(REPLAY_WRITE, 4096, 4096);
	slots[2] = take(REPLAY_DISCARD, 8192, 4096);
	in_flight__submitted(&flight, slots, 3, 100);
	in_flight__completed(&flight, slots[0], 4095, 200);
	in_flight__completed(&flight, slots[1], 0, 200);
	in_flight__completed(&flight, slots[2], 0, 200); /* moves no bytes */
	in_flight__account(&flight, 200);
	CHECK_EQ(result.ops[REPLAY_READ].errors, 1);
	CHECK_EQ(result.ops[REPLAY_READ].completed, 0);
	CHECK_EQ(result.ops[REPLAY_WRITE].errors, 1);
	CHECK_EQ(result.ops[REPLAY_DISCARD].errors, 0);
	CHECK_EQ(result.ops[REPLAY_DISCARD].completed, 1);
	CHECK(flight.failed);
	in_flight__free(&flight);
}

static void test_ios_of_the_ramp_are_counted_apart(void)
{
	static const struct engine_options options = {
		.iodepth = 3, .mode = ENGINE_ASAP, .ramp_ns = 1000};
	uint32_t slots[3];

	engine_result__init(&result);
	REQUIRE(!in_flight__init(&flight, &options, &result));
	in_flight__start(&flight, &options, 0);
	slots[0] = take(REPLAY_READ, 0, 4096);
	slots[1] = take(REPLAY_DISCARD, 8192, 65536); /* of which no bytes are moved */
	slots[2] = take(REPLAY_READ, 4096, 4096);
	in_flight__submitted(&flight, slots, 2, 999);
	in_flight__submitted(&flight, &slots[2], 1, 1000);
	for (unsigned int i = 0; i < 3; i++)
		in_flight__completed(&flight, slots[i], 4096, 1500);
	in_flight__account(&flight, 1500);
	CHECK_EQ(result.ramp_ios, 2);
	CHECK_EQ(result.ramp_bytes, 4096);
	CHECK_EQ(result.ops[REPLAY_READ].completed, 2);
	CHECK_EQ(result.ops[REPLAY_READ].sizes[0].submitted_ns.count, 1);
	CHECK_EQ(result.ops[REPLAY_READ].sizes[0].submitted_ns.max, 500);
	in_flight__free(&flight);
}

static uint32_t take_numbered(enum replay_op op, uint64_t number, uint32_t flags)
{
	const struct replay_io io = {.op = op,
				     .offset_bytes = number << 12,
				     .length_bytes = op == REPLAY_WRITE ? 4096 : 0,
				     .number = number,
				     .flags = flags};

	CHECK(schedule_depth_admit(&flight.depth));
	return in_flight__take(&flight, &io, 0);
}

static void test_a_successful_flush_makes_completed_writes_durable(void)
{
	static struct durable_progress progress;
	static const struct engine_options options = {.iodepth = 4, .written = &progress};
	uint32_t write, flush;

	engine_result__init(&result);
	REQUIRE(!in_flight__init(&flight, &options, &result));
	in_flight__start(&flight, &options, 0);
	write = take_numbered(REPLAY_WRITE, 1, 0);
	in_flight__completed(&flight, write, 4096, 1);
	CHECK_EQ(atomic_load(&progress.completed), 1);
	flush = take_numbered(REPLAY_FLUSH, 0, 0);
	in_flight__completed(&flight, flush, -EIO, 2);
	CHECK_EQ(atomic_load(&progress.durable), 0);
	/* The flush before a write does as well, but not for the write itself. */
	write = take_numbered(REPLAY_WRITE, 2, REPLAY_PREFLUSH);
	in_flight__completed(&flight, write, 4096, 3);
	CHECK_EQ(atomic_load(&progress.completed), 2);
	CHECK_EQ(atomic_load(&progress.durable), 1);
	write = take_numbered(REPLAY_WRITE, 3, REPLAY_PREFLUSH);
	in_flight__flush_failed(&flight, write, EIO);
	in_flight__completed(&flight, write, 4096, 4);
	CHECK_EQ(atomic_load(&progress.durable), 1);
	flush = take_numbered(REPLAY_FLUSH, 0, 0);
	in_flight__completed(&flight, flush, 0, 5);
	CHECK_EQ(atomic_load(&progress.durable), 3);
	CHECK_EQ(atomic_load(&progress.failed), 1);
	in_flight__free(&flight);
}

static void test_no_io_waits_for_an_uncounted_one(void)
{
	static const struct engine_options options = {.iodepth = 4, .mode = ENGINE_DEPENDENT};
	struct replay_io ios[] = {{.length_bytes = 4096, .wait = {.uncounted = 1}},
				  {.length_bytes = 4096},
				  {.wait = {.anchor = REPLAY_ANCHOR_OWN, .own_completions = 1}}};
	const struct replay_io *io;
	uint32_t slots[2];
	uint64_t due_ns;

	engine_result__init(&result);
	REQUIRE(!in_flight__init(&flight, &options, &result));
	REQUIRE(!dependents__create(0, 1, &flight.dependents));
	in_flight__start(&flight, &options, 0);
	for (unsigned int i = 0; i < 3; i++)
		REQUIRE(!dependents__add(flight.dependents, &ios[i]));
	for (unsigned int i = 0; i < 2; i++) {
		REQUIRE(dependents__peek(flight.dependents, &io, &due_ns) == DEPENDENTS_READY);
		CHECK(schedule_depth_admit(&flight.depth));
		slots[i] = in_flight__take(&flight, io, due_ns);
		dependents__submitted(flight.dependents, 10);
	}
	in_flight__completed(&flight, slots[0], 4096, 20);
	CHECK(dependents__peek(flight.dependents, &io, &due_ns) == DEPENDENTS_BLOCKED);
	in_flight__completed(&flight, slots[1], 4096, 30);
	CHECK(dependents__peek(flight.dependents, &io, &due_ns) == DEPENDENTS_READY);
	CHECK_EQ(due_ns, 30);
	in_flight__account(&flight, 30);
	dependents__free(flight.dependents);
	in_flight__free(&flight);
}

int main(void)
{
	RUN(test_a_discard_waits_for_writes_before_it);
	RUN(test_reads_and_writes_wait_for_discards_only);
	RUN(test_a_flush_overlaps_nothing);
	RUN(test_ios_that_complete_together_are_counted_one_by_one);
	RUN(test_latency_since_due_depends_on_the_due_time);
	RUN(test_a_short_io_is_a_failure);
	RUN(test_a_successful_flush_makes_completed_writes_durable);
	RUN(test_no_io_waits_for_an_uncounted_one);
	RUN(test_ios_of_the_ramp_are_counted_apart);
	return TEST_RESULT;
}
