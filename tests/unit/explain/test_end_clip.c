// SPDX-License-Identifier: MIT
/* Sleeps and calls that go on after the end of a part. */
#include "unit/shared/test.h"

#include "explain/waits/end_clip.h"

static void a_row_counts_up_to_the_end(void)
{
	struct wait_row sleep = {.time_ns = 100, .duration_ns = 50, .run_queue_ns = 10};

	CHECK_EQ(end_clip_ns(&sleep, UINT64_MAX), 50);
	CHECK_EQ(end_clip_ns(&sleep, 120), 20);
	CHECK_EQ(end_clip_ns(&sleep, 90), 0);
	CHECK_EQ(end_clip_run_queue_ns(&sleep, UINT64_MAX), 10);
	CHECK_EQ(end_clip_run_queue_ns(&sleep, 154), 4);
	CHECK_EQ(end_clip_run_queue_ns(&sleep, 120), 0);
}

static void the_parts_of_a_sleep_are_cut_in_proportion(void)
{
	struct wait_row sleep = {.time_ns = 100, .duration_ns = 50};
	uint64_t ns[CAUSE_COUNT] = {[CAUSE_SCHEDULER] = 40, [CAUSE_DEVICE] = 10};

	end_clip_parts(&sleep, 150, ns);
	CHECK_EQ(ns[CAUSE_SCHEDULER], 40);
	end_clip_parts(&sleep, 125, ns);
	CHECK_EQ(ns[CAUSE_SCHEDULER], 20);
	CHECK_EQ(ns[CAUSE_DEVICE], 5);
	end_clip_parts(&sleep, 100, ns);
	CHECK_EQ(ns[CAUSE_SCHEDULER], 0);
}

static void a_call_keeps_the_sleep_and_the_running_before_the_end(void)
{
	struct sleep sleep = {.row = {.time_ns = 110, .duration_ns = 60}};
	struct wait_row call = {.time_ns = 100,
				.duration_ns = 100,
				.sleep_ns = 60,
				.cpu_ns = 32,
				.run_queue_ns = 8};

	end_clip_call(&call, &sleep, 200);
	CHECK_EQ(call.duration_ns, 100);
	end_clip_call(&call, &sleep, 140);
	CHECK_EQ(call.duration_ns, 40);
	CHECK_EQ(call.sleep_ns, 30);
	CHECK_EQ(call.cpu_ns, 8);
	CHECK_EQ(call.run_queue_ns, 2);
	CHECK_EQ(sleep.row.duration_ns, 60);
}

int main(void)
{
	RUN(a_row_counts_up_to_the_end);
	RUN(the_parts_of_a_sleep_are_cut_in_proportion);
	RUN(a_call_keeps_the_sleep_and_the_running_before_the_end);
	return TEST_RESULT;
}
