// SPDX-License-Identifier: MIT
#include "unit/shared/test.h"

#include "base/units.h"
#include "replay/engine/schedule.h"

static void due_time_is_exact_at_speed_one(void)
{
	struct schedule s = {.start_ns = 12345678901234567ull, .speed = 1};

	CHECK_EQ(schedule_due_ns(&s, 0), 12345678901234567ll);
	/* Above 2^53, where a double would round. */
	CHECK_EQ(schedule_due_ns(&s, 9007199254740993ull),
		 12345678901234567ll + 9007199254740993ll);
}

static void due_time_is_divided_by_speed(void)
{
	struct schedule fast = {.start_ns = 1000, .speed = 4};
	struct schedule slow = {.start_ns = 1000, .speed = 0.5};

	CHECK_EQ(schedule_due_ns(&fast, 4000), 2000);
	CHECK_EQ(schedule_due_ns(&fast, 3), 1000);
	CHECK_EQ(schedule_due_ns(&slow, 4000), 9000);
}

static void due_time_does_not_drift(void)
{
	struct schedule s = {.start_ns = NSEC_PER_SEC, .speed = 3};

	/* The millionth IO of one every ms is due at its own time, not at a sum of rounded gaps. */
	CHECK_EQ(schedule_due_ns(&s, 1000000 * NSEC_PER_MSEC), NSEC_PER_SEC + 333333333333ull);
}

static void due_time_saturates(void)
{
	struct schedule s = {.start_ns = 1000, .speed = 1};

	CHECK(schedule_due_ns(&s, UINT64_MAX) == UINT64_MAX);
	s.speed = 1e-9;
	CHECK(schedule_due_ns(&s, UINT64_MAX / 2) == UINT64_MAX);
	CHECK(schedule_scaled_ns(UINT64_MAX, 1e-9) == UINT64_MAX);
	CHECK_EQ(schedule_scaled_ns(UINT64_MAX, 1e12), 18446744);
}

static void sleep_ends_before_the_spin_begins(void)
{
	struct schedule s = {.lead_ns = 50000};

	CHECK_EQ(schedule_sleep_ns(&s, 1000000, 0), 1000000 - 50000);
	CHECK_EQ(schedule_sleep_ns(&s, 50101, 100), 1);
	CHECK_EQ(schedule_sleep_ns(&s, 50100, 100), 0);
	CHECK_EQ(schedule_sleep_ns(&s, 100, 100), 0);
	CHECK_EQ(schedule_sleep_ns(&s, 99, 100), 0);
	s.lead_ns = 0;
	CHECK_EQ(schedule_sleep_ns(&s, 101, 100), 1);
}

static void depth_counts_each_held_io_once(void)
{
	struct schedule_depth d = {.limit = 2};

	CHECK(schedule_depth_admit(&d));
	CHECK(schedule_depth_admit(&d));
	CHECK(!schedule_depth_admit(&d));
	CHECK(!schedule_depth_admit(&d));
	CHECK_EQ(d.held_back, 1);
	schedule_depth_release(&d);
	CHECK(schedule_depth_admit(&d));
	CHECK(!schedule_depth_admit(&d));
	CHECK_EQ(d.held_back, 2);
	CHECK_EQ(d.in_flight, 2);
	CHECK_EQ(d.highest, 2);
}

static void depth_that_suffices_holds_nothing_back(void)
{
	struct schedule_depth d = {.limit = 3};

	for (int i = 0; i < 100; i++) {
		CHECK(schedule_depth_admit(&d));
		schedule_depth_release(&d);
	}
	CHECK_EQ(d.held_back, 0);
	CHECK_EQ(d.highest, 1);
	CHECK_EQ(d.in_flight, 0);
}

int main(void)
{
	RUN(due_time_is_exact_at_speed_one);
	RUN(due_time_is_divided_by_speed);
	RUN(due_time_does_not_drift);
	RUN(due_time_saturates);
	RUN(sleep_ends_before_the_spin_begins);
	RUN(depth_counts_each_held_io_once);
	RUN(depth_that_suffices_holds_nothing_back);
	return TEST_RESULT;
}
