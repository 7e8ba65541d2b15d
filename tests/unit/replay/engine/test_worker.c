// SPDX-License-Identifier: MIT
/* One of several workers: what it tells the others of its IOs, and what all of them have in flight. */
#include "unit/shared/test.h"

#include "replay/engine/result.h"
#include "replay/engine/worker.h"

enum {
	DEPTH = 2,
	MANY = 100
};

static void workers_share_the_count_in_flight_and_its_maximum(void)
{
	static struct worker_common common = {.workers = 2};
	struct worker one, other;

	REQUIRE(!worker__init(&one, &common, 0, DEPTH) && !worker__init(&other, &common, 1, DEPTH));
	CHECK_EQ(worker__count(&one, 2), 2);
	CHECK_EQ(worker__count(&other, 1), 3);
	CHECK_EQ(worker__count(&one, 0), 1);
	CHECK_EQ(worker__count(&other, 1), 1);
	CHECK_EQ(worker__count(&one, 1), 2);
	CHECK_EQ(atomic_load(&common.highest_depth), 3);
	worker__free(&one);
	worker__free(&other);
}

static struct in_flight flight;
static struct engine_result result;
static struct worker_common common = {.workers = 2};
static struct worker worker;

static uint32_t take(void)
{
	const struct replay_io io = {.op = REPLAY_READ, .length_bytes = 4096};
	uint32_t slot;

	CHECK(schedule_depth_admit(&flight.depth));
	slot = in_flight__take(&flight, &io, 0);
	worker__took(&worker, &flight, slot);
	worker.next_number++;
	return slot;
}

static void complete(uint32_t slot)
{
	in_flight__completed(&flight, slot, 4096, 10);
	in_flight__account(&flight, 10);
	worker__completed(&worker, &flight);
}

/* IOs that overlap number 0: the first of them that is not of its worker. 0: out of memory. */
static uint64_t add_until_one_waits(void)
{
	const struct sharing_options options = {.workers = 2, .window = 64};
	struct replay_io io = {.op = REPLAY_WRITE, .length_bytes = 32 * SHARING_REGION_BYTES};
	uint64_t number = 0;

	if (sharing__create(&options, &common.sharing))
		return 0;
	worker.index = sharing__add(common.sharing, &io);
	io.length_bytes = 4096;
	do {
		number++;
		io.offset_bytes += SHARING_REGION_BYTES;
	} while (sharing__add(common.sharing, &io) == worker.index);
	return number;
}

/* However many come and go behind it: more than the list has room for. */
static void a_stuck_io_is_not_published_as_completed(void)
{
	const struct engine_options options = {.iodepth = DEPTH, .mode = ENGINE_ASAP};
	uint64_t waiting = add_until_one_waits();
	unsigned int index = worker.index;
	uint32_t stuck;

	REQUIRE(waiting && waiting < 32);
	engine_result__init(&result);
	REQUIRE(!in_flight__init(&flight, &options, &result));
	REQUIRE(!worker__init(&worker, &common, index, DEPTH));
	in_flight__start(&flight, &options, 0);
	stuck = take();
	worker__submitted(&worker);
	worker__completed(&worker, &flight);
	for (unsigned int i = 0; i < MANY; i++) {
		complete(take());
		CHECK(!sharing__may_go(common.sharing, !index, waiting));
	}
	complete(stuck);
	CHECK(sharing__may_go(common.sharing, !index, waiting));
	worker__free(&worker);
	in_flight__free(&flight);
	sharing__free(common.sharing);
}

int main(void)
{
	RUN(workers_share_the_count_in_flight_and_its_maximum);
	RUN(a_stuck_io_is_not_published_as_completed);
	return TEST_RESULT;
}
