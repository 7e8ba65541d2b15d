// SPDX-License-Identifier: MIT
/* Percentiles of the latency of a group, against those of the sorted times. */
#include "explain/figures/group_account.h"
#include "unit/shared/test.h"

#define IOS 1009

static int name_all(const void *context, struct explain_group *group)
{
	group->name = strdup("one");
	return group->name ? 0 : -1;
}

/* The sketch has 8 steps for each power of two: a value is off by an eighth at most. */
static void check_near(uint64_t got, uint64_t want)
{
	CHECK(got >= want - want / 8);
	CHECK(got <= want + want / 8);
}

static void add_io(struct group_accounts *g, uint64_t took_ns)
{
	const struct io_row row = {.created_ns = 1000,
				   .issued_ns = 1000,
				   .completed_ns = 1000 + took_ns,
				   .bytes = 4096,
				   .op = IO_OP_READ};

	CHECK_EQ(group_accounts__add_io(g, 1, &row), 0);
}

/* IOs that took 1, 2, 3 ... times step_ns, in another order. */
static void check_percentiles(uint64_t step_ns)
{
	struct group_accounts *g = group_accounts__new();
	struct explain_groups groups = {0};

	for (uint64_t i = 0; i < IOS; i++)
		add_io(g, (1 + i * 500 % IOS) * step_ns);

	CHECK_EQ(group_accounts__finish(g, name_all, NULL, &groups), 0);
	CHECK_EQ(groups.count, 1);
	CHECK_EQ(groups.list[0].ios, IOS);
	check_near(groups.list[0].latency_p50_ns, 505 * step_ns);
	check_near(groups.list[0].latency_p99_ns, 999 * step_ns);
	explain_groups_release(&groups);
	group_accounts__free(g);
}

static void percentiles_are_those_of_the_times(void)
{
	check_percentiles(1000);
	check_percentiles(10000);
	check_percentiles(1000000);
}

/* Of two, the median is the shorter one, as it was. */
static void the_shortest_is_exact(void)
{
	struct group_accounts *g = group_accounts__new();
	struct explain_groups groups = {0};

	for (uint64_t took_ns = 84000; took_ns <= 94000; took_ns += 10000)
		add_io(g, took_ns);

	CHECK_EQ(group_accounts__finish(g, name_all, NULL, &groups), 0);
	CHECK_EQ(groups.list[0].latency_p50_ns, 84000);
	CHECK_EQ(groups.list[0].latency_p99_ns, 94000);
	explain_groups_release(&groups);
	group_accounts__free(g);
}

int main(void)
{
	RUN(the_shortest_is_exact);
	RUN(percentiles_are_those_of_the_times);
	return TEST_RESULT;
}
