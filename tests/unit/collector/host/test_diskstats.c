// SPDX-License-Identifier: MIT
/* Differences of the kernel's counters, in the order of /proc/diskstats. */
#include "collector/host/diskstats.h"

#include "unit/shared/test.h"

#define ALMOST (UINT32_MAX - 4)

static void counters_that_only_grow(void)
{
	const uint64_t before[DISKSTATS_FIELDS] = {400, 1,  8000, 20, 50,	  2, 4000, 10, 3,
						   30,	70, 5,	  0,  1ull << 33, 1, 6,	   2};
	const uint64_t now[DISKSTATS_FIELDS] = {
		1000, 2, 8800, 25, 51, 2, 4008, 11, 4, 36, 79, 5, 0, (1ull << 33) + 8, 1, 7, 4};
	struct tick_row tick = {0};

	diskstats__differences(now, before, &tick);
	CHECK_EQ(tick.ios[TICK_READ], 600);
	CHECK_EQ(tick.merges[TICK_READ], 1);
	CHECK_EQ(tick.sectors[TICK_READ], 800);
	CHECK_EQ(tick.ticks_ms[TICK_READ], 5);
	CHECK_EQ(tick.sectors[TICK_WRITE], 8);
	CHECK_EQ(tick.sectors[TICK_DISCARD], 8);
	CHECK_EQ(tick.in_flight, 4);
	CHECK_EQ(tick.io_ticks_ms, 6);
	CHECK_EQ(tick.in_queue_ms, 9);
	CHECK_EQ(tick.ios[TICK_FLUSH], 1);
	CHECK_EQ(tick.ticks_ms[TICK_FLUSH], 2);
}

/* Milliseconds have 32 bits, counts and sectors 64. */
static void milliseconds_wrap(void)
{
	const uint64_t before[DISKSTATS_FIELDS] = {9, 0, UINT32_MAX, ALMOST, [9] = ALMOST, ALMOST};
	const uint64_t now[DISKSTATS_FIELDS] = {10, 0, 1ull << 32, 5, [9] = 15, 25};
	struct tick_row tick = {0};

	diskstats__differences(now, before, &tick);
	CHECK_EQ(tick.sectors[TICK_READ], 1);
	CHECK_EQ(tick.ticks_ms[TICK_READ], 10);
	CHECK_EQ(tick.io_ticks_ms, 20);
	CHECK_EQ(tick.in_queue_ms, 30);
}

/* 3,000,000,000 sectors are below 2^32. */
static void the_counters_of_another_disk_begin_at_0(void)
{
	const uint64_t before[DISKSTATS_FIELDS] = {
		9000000, 70, 3000000000, 90000, [9] = 3000000000, 50};
	const uint64_t now[DISKSTATS_FIELDS] = {1, 0, 8, 2, [9] = 2, 60};
	struct tick_row tick = {0};

	diskstats__differences(now, before, &tick);
	CHECK_EQ(tick.ios[TICK_READ], 1);
	CHECK_EQ(tick.merges[TICK_READ], 0);
	CHECK_EQ(tick.sectors[TICK_READ], 8);
	CHECK_EQ(tick.ticks_ms[TICK_READ], 2);
	CHECK_EQ(tick.io_ticks_ms, 2);
	CHECK_EQ(tick.in_queue_ms, 60);
}

int main(void)
{
	RUN(counters_that_only_grow);
	RUN(milliseconds_wrap);
	RUN(the_counters_of_another_disk_begin_at_0);
	return TEST_RESULT;
}
