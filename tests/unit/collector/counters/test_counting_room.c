// SPDX-License-Identifier: MIT
#include "collector/counters/counting_internal.h"
#include "unit/shared/test.h"

static void room_for_disks_that_come_later(void)
{
	CHECK_EQ(counting_room(2, 1), 66);
	CHECK_EQ(counting_room(2, 16), 66);
	CHECK_EQ(counting_room(100, 16), 164);
}

/* Each disk has counts for each CPU: 8,928 bytes. */
static void less_with_many_cpus(void)
{
	CHECK_EQ(counting_room(2, 128), 2 + 29);
	CHECK_EQ(counting_room(2, 512), 2 + 16);
	CHECK_EQ(counting_room(200, 8192), 200 + 16);
}

int main(void)
{
	RUN(room_for_disks_that_come_later);
	RUN(less_with_many_cpus);
	return TEST_RESULT;
}
