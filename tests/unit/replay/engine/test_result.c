// SPDX-License-Identifier: MIT
/* What engines that ran at the same time did together. */
#include "replay/engine/result.h"
#include "base/units.h"
#include "unit/shared/test.h"

static struct engine_result all, one;

static void waiting_for_a_cpu_is_that_of_the_thread_that_waited_longest(void)
{
	static const uint64_t waits_ns[] = {300, 400, 100, 200};

	engine_result__init(&all);
	engine_result__init(&one);
	for (unsigned int i = 0; i < 4; i++) {
		one.duration_ns = 500;
		one.cpu_wait_ns = waits_ns[i];
		one.user_ns = 50;
		engine_result__merge(&all, &one);
	}
	CHECK_EQ(all.cpu_wait_ns, 400);
	CHECK_EQ(all.user_ns, 200);
	CHECK_EQ(all.duration_ns, 500);
}

int main(void)
{
	RUN(waiting_for_a_cpu_is_that_of_the_thread_that_waited_longest);
	return TEST_RESULT;
}
