// SPDX-License-Identifier: MIT
/* IO that is recorded at two layers: per device all of it, over devices each piece of work once. */
#include "unit/explain/made_traces.h"

/* 100 us at dm-0, of which 60 us are at sda; its id is `id`. */
static void add_pair(struct explainer *e, uint64_t at_ns, uint64_t id)
{
	struct io_row above = test_read(at_ns, 8 * id), below = test_read(at_ns + 20 * US, 8 * id);

	above.device = 3;
	above.id = id;
	below.parent_id = id;
	below.completed_ns = at_ns + 80 * US;
	test_add(e, below);
	test_add(e, above);
}

static struct explanation *explain_pairs(const char *const *chosen, uint32_t count)
{
	struct explainer *e = explainer__new(&test_tables, chosen, count);

	if (!e)
		abort();
	for (uint64_t id = 1; id <= 10; id++)
		add_pair(e, START_NS + id * MS, id);
	/* sda's own, of nobody above. */
	test_add(e, test_read(START_NS + 20 * MS, 8000));
	return test_finish(e, 100 * MS);
}

static void totals_over_devices_count_each_io_once(void)
{
	struct explanation *x = explain_pairs(NULL, 0);

	REQUIRE(x->device_count == 2);
	CHECK_EQ(x->devices[0]->counted[TICK_READ].ios, 11);
	CHECK_EQ(x->devices[0]->linked_ios, 10);
	CHECK_EQ(x->devices[0]->linked.counted[TICK_READ].ios, 10);
	CHECK_EQ(x->devices[0]->linked.counted[TICK_READ].bytes, 10 * 4096);
	CHECK_EQ(x->devices[0]->linked.latency[TICK_READ][LATENCY_TOTAL]->count, 10);
	CHECK_EQ(x->devices[0]->linked.latency_ns[TICK_READ][LATENCY_TOTAL], 600 * US);
	CHECK_EQ(x->devices[0]->linked.origin[DIRECTION_READ][IO_ORIGIN_FILE].latency_ns, 600 * US);
	CHECK_EQ(x->devices[1]->linked.counted[TICK_READ].ios, 0);
	CHECK_EQ(x->devices[0]->passed_on_ios, 0);
	CHECK_EQ(x->devices[1]->counted[TICK_READ].ios, 10);
	CHECK_EQ(x->devices[1]->passed_on_ios, 10);
	CHECK_EQ(x->devices[1]->passed_on_ns, 1000 * US);
	CHECK_EQ(x->devices[1]->below_ns, 600 * US);
	REQUIRE(x->by_task.count == 1 && x->by_file.count == 1);
	CHECK_EQ(x->by_task.list[0].ios, 11);
	CHECK_EQ(x->by_file.list[0].bytes, 11 * 4096);
	CHECK_EQ(x->flow.device_bytes[IO_ORIGIN_FILE], 11 * 4096);
	CHECK_EQ(x->flow.device_ios[IO_ORIGIN_FILE], 11);
	for (uint32_t i = 0; i < x->slowest_count; i++)
		CHECK(!x->slowest[i].row.parent_id);
	explanation__free(x);
}

/* Who names a device means all of its IO; the time below is known although that is not shown. */
static void figures_of_a_device_count_all_its_ios(void)
{
	static const char *const below[] = {"sda"}, *const above[] = {"dm-0"};
	struct explanation *x = explain_pairs(below, 1);

	REQUIRE(x->device_count == 1 && x->by_task.count == 1);
	CHECK_EQ(x->by_task.list[0].ios, 11);
	CHECK_EQ(x->flow.device_ios[IO_ORIGIN_FILE], 11);
	explanation__free(x);
	x = explain_pairs(above, 1);
	REQUIRE(x->device_count == 1 && x->by_task.count == 1);
	CHECK_EQ(x->by_task.list[0].ios, 10);
	CHECK_EQ(x->devices[0]->below_ns, 600 * US);
	explanation__free(x);
}

/* Several parts, beside each other and one after the other, of which one lasts too long. */
static void overlapping_parts_are_not_added_up(void)
{
	struct explainer *e = test_explainer();
	struct io_row above = test_read(START_NS + MS, 0);
	struct explanation *x;

	above.device = 3;
	above.id = 5;
	for (uint64_t i = 0; i < 3; i++) {
		struct io_row below = test_read(START_NS + MS + 10 * US + 20 * i * US, 8 * i);

		below.parent_id = 5;
		test_add(e, below);
	}
	test_add(e, above);
	x = test_finish(e, 100 * MS);
	CHECK_EQ(x->devices[1]->below_ns, 90 * US);
	explanation__free(x);
}

/* What is below ends after the IO above, or the beginning of that is not known: nothing of it is counted. */
static void parts_outside_are_left_out(void)
{
	struct explainer *e = test_explainer();
	struct io_row above, below;
	struct explanation *x;

	for (uint64_t id = 1; id <= 2; id++) {
		above = test_read(START_NS + id * MS, 0);
		below = test_read(START_NS + id * MS + 200 * US, 0);
		above.device = 3;
		above.id = below.parent_id = id;
		if (id == 2) {
			above.created_ns = 0;
			above.flags = IO_STARTED_BEFORE;
		}
		test_add(e, below);
		test_add(e, above);
	}
	x = test_finish(e, 100 * MS);
	CHECK_EQ(x->devices[1]->passed_on_ios, 1);
	CHECK_EQ(x->devices[1]->below_ns, 0);
	explanation__free(x);
}

int main(void)
{
	RUN(parts_outside_are_left_out);
	RUN(totals_over_devices_count_each_io_once);
	RUN(figures_of_a_device_count_all_its_ios);
	RUN(overlapping_parts_are_not_added_up);
	return TEST_RESULT;
}
