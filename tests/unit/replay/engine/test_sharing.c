// SPDX-License-Identifier: MIT
/* Whose an IO is, and that no order in which workers run changes that of two IOs that overlap. */
#include "unit/shared/test.h"

#include <string.h>

#include "base/units.h"
#include "replay/engine/sharing.h"

enum {
	IOS = 3001,
	WINDOW = 256,
};

static uint64_t state;

static uint64_t next_random(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return state >> 33;
}

static struct replay_io ios[IOS];
static unsigned int owners[IOS];
static bool submitted[IOS], completed[IOS];

/* What is told of each worker, as an engine would; `at` is its next IO. */
struct worker {
	uint64_t at;
	unsigned int in_flight;
};

static struct worker workers[SHARING_WORKERS_MAX];
static unsigned int worker_count;
static uint64_t given, overtaken, waited;
static bool always_may_go; /* a test of the test */

/* Most within a region, some across the border of two, a few as wide as a discard can be. */
static void make_ios(uint64_t regions)
{
	static const enum replay_op ops[] = {REPLAY_READ,  REPLAY_WRITE,   REPLAY_WRITE,
					     REPLAY_WRITE, REPLAY_DISCARD, REPLAY_FLUSH};

	for (unsigned int i = 0; i < IOS; i++) {
		uint64_t kind = next_random() % 100;
		uint64_t region = next_random() % regions;

		ios[i] = (struct replay_io){.op = ops[next_random() % 6],
					    .offset_bytes = region * SHARING_REGION_BYTES +
							    next_random() % 16 * 4096,
					    .length_bytes = (1 + next_random() % 16) * 4096,
					    .flags = next_random() % 20 ? 0 : REPLAY_PREFLUSH};
		if (kind < 15)
			ios[i].offset_bytes += SHARING_REGION_BYTES - 8 * 4096;
		if (kind == 15)
			ios[i].length_bytes = (1 + next_random() % (2 * regions)) * 1048576;
		if (kind == 16)
			ios[i].length_bytes = 100 * SHARING_REGION_BYTES;
		if (ios[i].op == REPLAY_FLUSH)
			ios[i].offset_bytes = ios[i].length_bytes = ios[i].flags = 0;
	}
}

static bool overlap(const struct replay_io *a, const struct replay_io *b)
{
	return a->offset_bytes < b->offset_bytes + b->length_bytes &&
	       b->offset_bytes < a->offset_bytes + a->length_bytes;
}

static bool flushes(const struct replay_io *io)
{
	return io->op == REPLAY_FLUSH || (io->flags & REPLAY_PREFLUSH);
}

/*
 * By the definition: what overlaps has completed when it is another's, but for a read before a read, and was submitted
 * in any case.
 */
static uint64_t broken_orders(uint64_t number)
{
	const struct replay_io *io = &ios[number];
	uint64_t broken = 0, before = 0;

	for (uint64_t i = 0; i < number; i++) {
		bool reads = ios[i].op == REPLAY_READ && io->op == REPLAY_READ;

		before += !submitted[i];
		if (overlap(&ios[i], io))
			broken += owners[i] == owners[number] || reads ? !submitted[i]
								       : !completed[i];
		broken += flushes(io) && !submitted[i];
	}
	overtaken += before > 0;
	return broken;
}

static uint64_t lowest_not_passed(void)
{
	uint64_t lowest = IOS;

	for (unsigned int w = 0; w < worker_count; w++)
		if (workers[w].at < lowest)
			lowest = workers[w].at;
	return lowest;
}

static void skip_others(unsigned int w)
{
	while (workers[w].at < given && owners[workers[w].at] != w)
		workers[w].at++;
}

static void tell(struct sharing *s, unsigned int w)
{
	uint64_t below = workers[w].at;

	for (uint64_t i = 0; i < workers[w].at && below == workers[w].at; i++)
		if (owners[i] == w && !completed[i])
			below = i;
	sharing__submitted(s, w, workers[w].at);
	sharing__completed(s, w, below);
}

static bool give(struct sharing *s)
{
	if (given == IOS || given - lowest_not_passed() == WINDOW)
		return false;
	owners[given] = sharing__add(s, &ios[given]);
	given++;
	return true;
}

static bool submit(struct sharing *s, unsigned int w, uint64_t *broken)
{
	uint64_t number;

	skip_others(w);
	number = workers[w].at;
	if (number == given || workers[w].in_flight == 8)
		return false;
	if (!always_may_go && !sharing__may_go(s, w, number)) {
		waited++;
		return false;
	}
	*broken += broken_orders(number);
	submitted[number] = true;
	workers[w].in_flight++;
	workers[w].at++;
	return true;
}

/* Any of those in flight. */
static bool complete(unsigned int w)
{
	uint64_t choice = workers[w].in_flight ? next_random() % workers[w].in_flight : 0;

	if (!workers[w].in_flight)
		return false;
	for (uint64_t i = 0; i < workers[w].at; i++) {
		if (owners[i] != w || !submitted[i] || completed[i] || choice--)
			continue;
		completed[i] = true;
		workers[w].in_flight--;
		return true;
	}
	return false;
}

/* Steps in an order that the seed decides, of which one worker in turn is slow. How many orders were broken. */
static uint64_t play(unsigned int count, uint64_t seed, uint64_t zone_bytes)
{
	struct sharing_options options = {
		.workers = count, .window = WINDOW, .zone_bytes = zone_bytes};
	uint64_t broken = 0, idle = 0, done = 0;
	struct sharing *s;

	memset(workers, 0, sizeof(workers));
	memset(submitted, 0, sizeof(submitted));
	memset(completed, 0, sizeof(completed));
	worker_count = count;
	given = overtaken = waited = 0;
	if (sharing__create(&options, &s))
		return UINT64_MAX;
	state = seed;
	while (done < IOS && idle < 100000) {
		unsigned int w = (unsigned int)(next_random() % count);
		bool slow = w == (unsigned int)(seed % count) && next_random() % 8;
		bool moved;

		switch (slow ? 3 : next_random() % 4) {
		case 0:
			moved = complete(w);
			done += moved;
			break;
		case 1:
			moved = submit(s, w, &broken);
			break;
		case 2:
			skip_others(w);
			tell(s, w);
			moved = false;
			break;
		default:
			moved = give(s);
		}
		idle = moved ? 0 : idle + 1;
	}
	CHECK_EQ(done, IOS);
	sharing__free(s);
	return broken;
}

static void test_any_order_of_workers_keeps_the_order_of_overlaps(void)
{
	for (uint64_t seed = 1; seed <= 6; seed++) {
		state = seed;
		make_ios(seed % 2 ? 7 : 40);
		for (unsigned int count = 1; count <= 5; count++) {
			CHECK_EQ(play(count, seed, 0), 0);
			/* It is no queue: IOs that are free of each other pass. */
			CHECK(count == 1 ? !overtaken && !waited : overtaken > IOS / 20);
			CHECK(count == 1 || waited > 0);
		}
	}
}

static void test_without_waits_the_order_changes(void)
{
	state = 1;
	make_ios(7);
	always_may_go = true;
	CHECK(play(2, 1, 0) > 0);
	CHECK(play(4, 1, 0) > 0);
	always_may_go = false;
}

/* The first region from `region` on that is, or is not, of the worker. */
static uint64_t region_of(unsigned int worker, bool is, uint64_t region)
{
	struct sharing_options options = {.workers = 2, .window = WINDOW};
	struct replay_io io = {.op = REPLAY_WRITE, .length_bytes = 4096};
	struct sharing *s;

	if (sharing__create(&options, &s))
		return 0;
	io.offset_bytes = region * SHARING_REGION_BYTES;
	while ((sharing__add(s, &io) == worker) != is)
		io.offset_bytes += SHARING_REGION_BYTES;
	sharing__free(s);
	return io.offset_bytes / SHARING_REGION_BYTES;
}

/* After so many others that what is stuck is remembered no more. */
static void stuck_is_waited_for(const struct replay_io *stuck, const struct replay_io *others,
				const struct replay_io *last)
{
	struct sharing_options options = {.workers = 2, .window = WINDOW};
	unsigned int of_stuck, of_last, w;
	uint64_t number = 1;
	struct sharing *s;

	REQUIRE(!sharing__create(&options, &s));
	of_stuck = sharing__add(s, stuck);
	sharing__submitted(s, of_stuck, 1);
	for (; number < 10 * WINDOW; number++) {
		w = sharing__add(s, others);
		sharing__submitted(s, w, number + 1);
		if (w != of_stuck)
			sharing__completed(s, w, number + 1);
	}
	of_last = sharing__add(s, last);
	CHECK(of_last != of_stuck);
	CHECK(!sharing__may_go(s, of_last, number));
	sharing__completed(s, of_stuck, number);
	CHECK(sharing__may_go(s, of_last, number));
	sharing__free(s);
}

static void test_a_stuck_io_is_awaited_after_it_left_the_window(void)
{
	uint64_t a = region_of(0, true, 0), b = region_of(0, false, a + 1);
	uint64_t border = region_of(1, true, region_of(0, true, 0)) * SHARING_REGION_BYTES;
	const struct replay_io small = {
		.op = REPLAY_WRITE, .offset_bytes = b * SHARING_REGION_BYTES, .length_bytes = 4096};
	const struct replay_io other = {
		.op = REPLAY_WRITE, .offset_bytes = a * SHARING_REGION_BYTES, .length_bytes = 4096};
	const struct replay_io wide = {.op = REPLAY_DISCARD,
				       .offset_bytes = a * SHARING_REGION_BYTES,
				       .length_bytes = 1000 * SHARING_REGION_BYTES};
	const struct replay_io across = {
		.op = REPLAY_WRITE, .offset_bytes = border - 4096, .length_bytes = 8192};
	const struct replay_io behind = {
		.op = REPLAY_WRITE, .offset_bytes = border, .length_bytes = 4096};

	stuck_is_waited_for(&small, &other, &wide);
	stuck_is_waited_for(&across, &across, &behind);
}

static void test_ios_of_a_zone_go_to_one_worker(void)
{
	const uint64_t zone_bytes = 64ull << 20;
	struct sharing_options options = {.workers = 4, .window = WINDOW, .zone_bytes = zone_bytes};
	struct sharing *s;
	uint32_t seen = 0;

	REQUIRE(!sharing__create(&options, &s));
	for (uint64_t zone = 0; zone < 32; zone++) {
		struct replay_io io = {.op = REPLAY_WRITE,
				       .offset_bytes = zone * zone_bytes,
				       .length_bytes = 4096};
		unsigned int first = sharing__add(s, &io);

		seen |= 1u << first;
		for (unsigned int i = 1; i < 4; i++) {
			io.offset_bytes += zone_bytes / 4;
			CHECK_EQ(sharing__add(s, &io), first);
		}
	}
	CHECK_EQ(seen, 15);
	sharing__free(s);
	make_ios(40);
	CHECK_EQ(play(3, 5, zone_bytes), 0);
}

/* More IOs that cross are in flight than are remembered one by one: 8 with this window. */
static void test_ios_that_leave_the_window_must_complete(void)
{
	const struct sharing_options options = {.workers = 2, .window = 4};
	struct replay_io wide = {.op = REPLAY_WRITE, .length_bytes = 100 * SHARING_REGION_BYTES};
	struct replay_io io = {.op = REPLAY_WRITE, .length_bytes = 4096};
	struct sharing *s;

	REQUIRE(!sharing__create(&options, &s));
	for (uint64_t i = 0; i < 9; i++) {
		wide.offset_bytes = region_of(0, true, i * 200) * SHARING_REGION_BYTES;
		REQUIRE(sharing__add(s, &wide) == 0);
	}
	io.offset_bytes = region_of(1, true, region_of(0, true, 0)) * SHARING_REGION_BYTES;
	REQUIRE(sharing__add(s, &io) == 1);
	CHECK(!sharing__may_go(s, 1, 9));
	sharing__submitted(s, 0, 9);
	CHECK(!sharing__may_go(s, 1, 9));
	sharing__completed(s, 0, 1); /* the first, which it overlaps */
	CHECK(sharing__may_go(s, 1, 9));
	sharing__free(s);
}

int main(void)
{
	RUN(test_any_order_of_workers_keeps_the_order_of_overlaps);
	RUN(test_without_waits_the_order_changes);
	RUN(test_a_stuck_io_is_awaited_after_it_left_the_window);
	RUN(test_ios_of_a_zone_go_to_one_worker);
	RUN(test_ios_that_leave_the_window_must_complete);
	return TEST_RESULT;
}
