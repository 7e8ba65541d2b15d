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

static void an_io_taken_before_the_first_sample_has_no_delay(void)
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

static void an_io_sampled_as_waiting_has_a_delay(void)
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
static void ring_positions_wrap_around(void)
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
	RUN(an_io_taken_before_the_first_sample_has_no_delay);
	RUN(an_io_sampled_as_waiting_has_a_delay);
	RUN(ring_positions_wrap_around);
	return TEST_RESULT;
}
