// SPDX-License-Identifier: MIT
#include "unit/shared/test.h"

#include <stdio.h>
#include <string.h>

#include "top/list.h"

static struct parties parties;

static uint32_t task(uint32_t id, uint32_t tgid, uint32_t pid, const char *comm)
{
	struct row_tables tables = parties__tables(&parties);
	struct trace_task entry = {.id = id, .pid = pid, .tgid = tgid};

	snprintf(entry.comm, sizeof(entry.comm), "%s", comm);
	return tables.task(tables.context, &entry) ? 0 : id;
}

static uint32_t cgroup(uint32_t id, const char *path)
{
	struct row_tables tables = parties__tables(&parties);
	struct trace_cgroup entry = {.id = id, .kernel_id = 100 + id, .path = path};

	return tables.cgroup(tables.context, &entry) ? 0 : id;
}

static void ios(uint32_t of_task, uint32_t of_cgroup, unsigned int count, uint64_t took_ns)
{
	struct io_row row = {.task = of_task,
			     .cgroup = of_cgroup,
			     .op = IO_OP_READ,
			     .bytes = 4096,
			     .created_ns = 1000,
			     .issued_ns = 1000 + took_ns / 4,
			     .completed_ns = 1000 + took_ns,
			     .origin = IO_ORIGIN_DIRECT};

	while (count--)
		parties__add_io(&parties, &row);
}

static struct top_list list_of(enum top_by by, enum top_sort sort, size_t limit)
{
	const struct activity_sample sample = {.parties = parties, .interval_ns = 1000000000};
	const struct top_choice choice = {.by = by, .sort = sort};
	struct activity_sums total;
	struct top_list list;

	CHECK(!top_list__make(&sample, &choice, limit, &list));
	top_list__total(&list, &total);
	CHECK_EQ(activity_sums__ios(&total), activity_sums__ios(&parties.total));
	CHECK_EQ(total.total_ns, parties.total.total_ns);
	return list;
}

static void threads_are_one_process_called_as_its_first(void)
{
	struct top_list list;

	ios(task(1, 70, 71, "worker"), 0, 3, 400);
	ios(task(2, 70, 70, "server"), 0, 4, 400);
	ios(task(3, 80, 80, "other"), 0, 5, 100);
	list = list_of(TOP_PROCESS, TOP_WAITING, 0);
	REQUIRE(list.count == 2);
	CHECK_TEXT(list.rows[0].name, "server");
	CHECK_EQ(list.rows[0].pid, 70);
	CHECK_EQ(list.rows[0].sums.ios[TICK_READ], 7);
	CHECK_EQ(list.rows[0].sums.total_ns, 2800);
	CHECK_EQ(list.rows[0].sums.queue_ns, 700);
	top_list__release(&list);
	list = list_of(TOP_COMMAND, TOP_IOS, 0);
	CHECK_EQ(list.count, 3);
	CHECK_TEXT(list.rows[0].name, "other");
	top_list__release(&list);
	parties__release(&parties);
}

static void rows_below_the_last_are_others(void)
{
	struct top_list list;

	for (uint32_t i = 1; i <= 9; i++)
		ios(task(i, i, i, "many"), 0, i, 10);
	list = list_of(TOP_PROCESS, TOP_IOS, 2);
	CHECK_EQ(list.count, 2);
	CHECK_EQ(list.rows[0].pid, 9);
	CHECK_EQ(list.other_count, 7);
	CHECK_EQ(activity_sums__ios(&list.other), 1 + 2 + 3 + 4 + 5 + 6 + 7);
	top_list__release(&list);
	parties__release(&parties);
}

static void what_exceeds_the_table_is_in_others(void)
{
	struct top_list list;

	for (uint32_t i = 1; i <= PARTIES_MAX; i++)
		ios(task(i, i, i, "kept"), 0, 1, 10);
	for (uint32_t i = 1; i <= 11; i++)
		ios(task(PARTIES_MAX + 1, PARTIES_MAX + i, PARTIES_MAX + i, "more"), 0, 2, 10);
	list = list_of(TOP_PROCESS, TOP_IOS, 0);
	CHECK_EQ(list.count, PARTIES_MAX);
	CHECK_EQ(list.other_count, 11);
	CHECK_EQ(activity_sums__ios(&list.other), 22);
	top_list__release(&list);
	parties__release(&parties);
}

static void cgroups_become_units_and_containers(void)
{
	static const char id[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	char path[256];
	struct top_list list;

	snprintf(path, sizeof(path), "/system.slice/docker-%s.scope", id);
	ios(0, cgroup(1, path), 5, 10);
	ios(0, cgroup(2, "/system.slice/nginx.service"), 3, 10);
	ios(0, cgroup(3, "/system.slice/nginx.service/part"), 4, 10);
	list = list_of(TOP_UNIT, TOP_IOS, 0);
	CHECK_TEXT(list.rows[0].name, "nginx.service");
	CHECK_EQ(activity_sums__ios(&list.rows[0].sums), 7);
	top_list__release(&list);
	list = list_of(TOP_CONTAINER, TOP_IOS, 0);
	CHECK_EQ(list.count, 2);
	CHECK_TEXT(list.rows[0].name, "(no container)");
	CHECK_EQ(activity_sums__ios(&list.rows[0].sums), 7);
	CHECK(strstr(list.rows[1].name, "0123456789ab"));
	top_list__release(&list);
	parties__release(&parties);
}

static void cgroups_become_pods(void)
{
	static const char uid[] = "12345678-1234-1234-1234-123456789abc";
	char path[256];
	struct top_list list;

	snprintf(path, sizeof(path), "/kubepods/burstable/pod%s/%064d", uid, 1);
	ios(0, cgroup(1, path), 5, 10);
	snprintf(path, sizeof(path), "/kubepods/burstable/pod%s/%064d", uid, 2);
	ios(0, cgroup(2, path), 6, 10);
	snprintf(path, sizeof(path), "/kubepods/burstable/pod%s", uid);
	ios(0, cgroup(3, path), 1, 10);
	ios(0, cgroup(4, "/system.slice/nginx.service"), 4, 10);
	list = list_of(TOP_POD, TOP_IOS, 0);
	CHECK_EQ(list.count, 2);
	CHECK(strstr(list.rows[0].name, "12345678"));
	CHECK_EQ(activity_sums__ios(&list.rows[0].sums), 12);
	CHECK_TEXT(list.rows[1].name, "(no pod)");
	CHECK_EQ(activity_sums__ios(&list.rows[1].sums), 4);
	top_list__release(&list);
	parties__release(&parties);
}

static void a_part_of_an_io_above_is_in_devices_alone(void)
{
	struct io_row row = {.op = IO_OP_WRITE, .bytes = 512, .parent_id = 7};
	struct top_list list;

	parties__add_io(&parties, &row);
	CHECK_EQ(activity_sums__ios(&parties.below), 1);
	CHECK_EQ(activity_sums__ios(&parties.total), 0);
	list = list_of(TOP_PROCESS, TOP_IOS, 0);
	CHECK_EQ(list.count, 0);
	top_list__release(&list);
	parties__release(&parties);
}

int main(void)
{
	RUN(threads_are_one_process_called_as_its_first);
	RUN(rows_below_the_last_are_others);
	RUN(what_exceeds_the_table_is_in_others);
	RUN(cgroups_become_units_and_containers);
	RUN(cgroups_become_pods);
	RUN(a_part_of_an_io_above_is_in_devices_alone);
	return TEST_RESULT;
}
