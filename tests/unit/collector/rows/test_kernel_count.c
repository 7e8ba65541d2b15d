// SPDX-License-Identifier: MIT
/* IOs that the kernel counted are missing without a row, but not those at the edges. */
#include "base/units.h"
#include "collector/rows/kernel_count.h"
#include "unit/shared/test.h"

#define SECOND_NS NSEC_PER_SEC

/* Reads of device 1 end every ms from `from_ns` on; the kernel counted `kernel` in ten seconds. */
static uint64_t missing(uint64_t from_ns, unsigned int rows, uint64_t kernel, uint32_t in_flight,
			uint64_t latency_ns)
{
	struct tick_row tick = {
		.time_ns = 20 * SECOND_NS,
		.interval_ns = 10 * SECOND_NS,
		.device = 1,
		.in_flight = in_flight,
		.ios = {[TICK_READ] = kernel},
	};
	struct kernel_count *count;
	uint64_t found;

	if (kernel_count__create(&count))
		abort();
	for (unsigned int i = 0; i < rows; i++) {
		struct io_row row = {.device = 1,
				     .op = IO_OP_READ,
				     .created_ns = from_ns + i * NSEC_PER_MSEC - latency_ns,
				     .completed_ns = from_ns + i * NSEC_PER_MSEC};

		CHECK_EQ(kernel_count__add_row(count, &row, 10 * SECOND_NS), 0);
	}
	CHECK_EQ(kernel_count__add_tick(count, &tick), 0);
	found = kernel_count__missing(count);
	kernel_count__free(count);
	return found;
}

static void ios_without_a_row_are_missing(void)
{
	CHECK_EQ(missing(12 * SECOND_NS, 980, 1009, 0, 0), 29);
	CHECK_EQ(missing(12 * SECOND_NS, 1008, 1009, 0, 0), 1);
	CHECK_EQ(missing(12 * SECOND_NS, 1009, 1009, 0, 0), 0);
	CHECK_EQ(missing(12 * SECOND_NS, 1010, 1009, 0, 0), 0);
}

static void what_an_edge_explains_is_not(void)
{
	/* Rows end just when the counters are read first: one for each CPU can be the kernel's. */
	CHECK_EQ(missing(10 * SECOND_NS, 1008, 1009, 0, 0), 0);
	CHECK_EQ(missing(10 * SECOND_NS, 980, 1009, 0, 0), 29);
	CHECK_EQ(missing(12 * SECOND_NS, 1000, 1009, 9, 0), 0);
	CHECK_EQ(missing(12 * SECOND_NS, 999, 1009, 9, 0), 10);
	/* The first ten were in flight at the first reading. */
	CHECK_EQ(missing(12 * SECOND_NS, 999, 1009, 0, 2 * SECOND_NS + 10 * NSEC_PER_MSEC - 1), 0);
	CHECK_EQ(missing(12 * SECOND_NS, 998, 1009, 0, 2 * SECOND_NS + 10 * NSEC_PER_MSEC - 1), 11);
}

static void other_devices_and_commands_are_not(void)
{
	struct tick_row tick = {.device = 2, .ios = {[TICK_WRITE] = 100}};
	struct io_row command = {.device = 1, .op = IO_OP_PASSTHROUGH};
	struct kernel_count *count;

	if (kernel_count__create(&count))
		abort();
	/* Counters alone, as of a device that works on bios, say nothing of rows. */
	CHECK_EQ(kernel_count__add_row(count, &command, 0), 0);
	CHECK_EQ(kernel_count__add_tick(count, &tick), 0);
	CHECK_EQ(kernel_count__missing(count), 0);
	kernel_count__free(count);
}

int main(void)
{
	RUN(ios_without_a_row_are_missing);
	RUN(what_an_edge_explains_is_not);
	RUN(other_devices_and_commands_are_not);
	return TEST_RESULT;
}
