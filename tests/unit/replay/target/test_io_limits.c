// SPDX-License-Identifier: MIT
/* The longest IO that a queue takes whole, from its limits. */
#include <sys/sysmacros.h>

#include "replay/target/io_limits.h"
#include "unit/shared/test.h"

#define KIB	   1024ull
#define HUGE_BYTES (2048 * KIB)

static void segments_of_small_pages_limit_an_io(void)
{
	const struct io_limits loop = {1280 * KIB, 128, 64 * KIB};
	const struct io_limits nvme = {128 * KIB, 127, UINT32_MAX};

	CHECK_EQ(io_limits__whole_bytes(&loop, 4 * KIB), 512 * KIB);
	CHECK_EQ(io_limits__whole_bytes(&nvme, 4 * KIB), 128 * KIB);
}

static void huge_pages_leave_the_limit_of_the_length(void)
{
	const struct io_limits loop = {1280 * KIB, 128, 64 * KIB};
	const struct io_limits few = {4096 * KIB, 8, 64 * KIB};

	CHECK_EQ(io_limits__whole_bytes(&loop, HUGE_BYTES), 1280 * KIB);
	CHECK_EQ(io_limits__whole_bytes(&few, HUGE_BYTES), 512 * KIB);
}

static void limits_that_are_not_known_do_not_limit(void)
{
	const struct io_limits none = {0}, length = {.io_bytes = 256 * KIB};
	const struct io_limits segments = {.segments = 128};

	CHECK_EQ(io_limits__whole_bytes(&none, HUGE_BYTES), 0);
	CHECK_EQ(io_limits__whole_bytes(&length, HUGE_BYTES), 256 * KIB);
	CHECK_EQ(io_limits__whole_bytes(&segments, 4 * KIB), 512 * KIB);
}

static void a_device_without_files_has_no_limits(void)
{
	const struct safety_view view = {.sysfs_path = "/nonexistent"};
	struct io_limits limits = {1, 1, 1};

	io_limits__read(&view, makedev(7, 1), &limits);
	CHECK_EQ(limits.io_bytes, 0);
	CHECK_EQ(limits.segments, 0);
	CHECK_EQ(limits.segment_bytes, 0);
}

int main(void)
{
	RUN(segments_of_small_pages_limit_an_io);
	RUN(huge_pages_leave_the_limit_of_the_length);
	RUN(limits_that_are_not_known_do_not_limit);
	RUN(a_device_without_files_has_no_limits);
	return TEST_RESULT;
}
