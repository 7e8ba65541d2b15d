// SPDX-License-Identifier: MIT
/* Only IOs that end beside the first or the last look at the kernel's counters may be in one account alone. */
#include "workload/figures/edges.h"
#include "unit/shared/test.h"

#define SECOND_NS 1000000000ull

static struct edges looked_at_each_second(uint64_t from_s, uint64_t to_s)
{
	struct edges e = {0};

	for (uint64_t s = from_s + 1; s <= to_s; s++) {
		const struct tick_row tick = {.time_ns = s * SECOND_NS, .interval_ns = SECOND_NS};

		edges_add_tick(&e, &tick);
	}
	return e;
}

static uint64_t ios_of_one_that_ends_at(uint64_t end_ns)
{
	struct edges e = looked_at_each_second(4, 9);
	const struct io_row row = {
		.created_ns = end_ns - 1000, .issued_ns = end_ns - 1000, .completed_ns = end_ns};

	edges_add_io(&e, &row);
	return edges_ios(&e);
}

static void an_io_beside_an_edge_may_differ(void)
{
	CHECK_EQ(ios_of_one_that_ends_at(4 * SECOND_NS), 1);
	CHECK_EQ(ios_of_one_that_ends_at(9 * SECOND_NS), 1);
}

static void an_io_between_the_edges_does_not(void)
{
	for (uint64_t s = 5; s < 9; s++)
		CHECK_EQ(ios_of_one_that_ends_at(s * SECOND_NS), 0);
}

int main(void)
{
	RUN(an_io_beside_an_edge_may_differ);
	RUN(an_io_between_the_edges_does_not);
	return TEST_RESULT;
}
