// SPDX-License-Identifier: MIT
#include "base/schedule.h"
#include "unit/shared/test.h"

static void a_late_one_delays_no_other(void)
{
	CHECK_EQ(schedule_next_ns(1000, 100, 1000), 1100);
	CHECK_EQ(schedule_next_ns(1000, 100, 900), 1100);
	CHECK_EQ(schedule_next_ns(1000, 100, 1099), 1100);
}

static void what_is_over_is_left_out(void)
{
	CHECK_EQ(schedule_next_ns(1000, 100, 1100), 1200);
	CHECK_EQ(schedule_next_ns(1000, 100, 1149), 1200);
	CHECK_EQ(schedule_next_ns(1000, 100, 601000), 601100);
}

static void no_step_is_shorter_than_half(void)
{
	CHECK_EQ(schedule_next_ns(1000, 100, 1150), 1300);
	CHECK_EQ(schedule_next_ns(1000, 100, 601051), 601200);
	CHECK_EQ(schedule_next_ns(1000, 100, 601099), 601200);
}

int main(void)
{
	RUN(a_late_one_delays_no_other);
	RUN(what_is_over_is_left_out);
	RUN(no_step_is_shorter_than_half);
	return TEST_RESULT;
}
