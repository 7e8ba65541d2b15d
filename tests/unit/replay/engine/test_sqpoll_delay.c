// SPDX-License-Identifier: MIT
/* What IOs wait for the kernel's thread is what was seen of it, never more. */
#include "replay/engine/sqpoll_delay.h"
#include "unit/shared/test.h"

static struct sqpoll_delay sqpoll_delay;
static struct histogram waited;

static void begin(uint32_t iodepth)
{
	histogram_init(&waited);
	REQUIRE(!sqpoll_delay__init(&sqpoll_delay, iodepth));
}

static void what_is_taken_before_a_look_was_not_seen_to_wait(void)
{
	begin(4);
	CHECK(!sqpoll_delay__waits(&sqpoll_delay));
	sqpoll_delay__look(&sqpoll_delay, 0, 90, &waited);
	sqpoll_delay__submitted(&sqpoll_delay, 3, 3, 100);
	CHECK(sqpoll_delay__waits(&sqpoll_delay));
	sqpoll_delay__look(&sqpoll_delay, 3, 5000, &waited);
	CHECK(!sqpoll_delay__waits(&sqpoll_delay));
	CHECK_EQ(waited.count, 3);
	CHECK_EQ(waited.max, 0);
	sqpoll_delay__free(&sqpoll_delay);
}

static void what_is_seen_to_wait_waited_until_then(void)
{
	begin(4);
	sqpoll_delay__submitted(&sqpoll_delay, 2, 1, 100); /* a flush before it */
	sqpoll_delay__look(&sqpoll_delay, 1, 140, &waited);
	sqpoll_delay__submitted(&sqpoll_delay, 4, 2, 150);
	CHECK_EQ(waited.count, 0);
	sqpoll_delay__look(&sqpoll_delay, 2, 190, &waited);
	CHECK_EQ(waited.count, 1);
	CHECK_EQ(waited.max, 40);
	sqpoll_delay__look(&sqpoll_delay, 3, 230, &waited);
	CHECK_EQ(waited.count, 1);
	sqpoll_delay__look(&sqpoll_delay, 4, 1000, &waited);
	CHECK_EQ(waited.count, 3);
	CHECK_EQ(waited.max, 80);
	CHECK_EQ((uint64_t)waited.sum, 40 + 2 * 80);
	CHECK(!sqpoll_delay__waits(&sqpoll_delay));
	sqpoll_delay__free(&sqpoll_delay);
}

/* The numbers of the queue go around after 2^32 entries, its places here after three batches. */
static void all_goes_around(void)
{
	uint32_t tail = UINT32_MAX - 5;

	begin(3);
	for (uint32_t i = 0; i < 10; i++, tail += 3) {
		for (uint32_t batch = 1; batch <= 3; batch++)
			sqpoll_delay__submitted(&sqpoll_delay, tail + batch, 1, 1000 * i + batch);
		sqpoll_delay__look(&sqpoll_delay, tail, 1000 * i + 10, &waited);
		CHECK_EQ(waited.count, 3 * i);
		sqpoll_delay__look(&sqpoll_delay, tail + 3, 1000 * i + 20, &waited);
		CHECK_EQ(waited.count, 3 * i + 3);
	}
	CHECK_EQ(waited.min, 7);
	CHECK_EQ(waited.max, 9);
	sqpoll_delay__free(&sqpoll_delay);
}

int main(void)
{
	RUN(what_is_taken_before_a_look_was_not_seen_to_wait);
	RUN(what_is_seen_to_wait_waited_until_then);
	RUN(all_goes_around);
	return TEST_RESULT;
}
