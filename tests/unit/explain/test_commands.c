// SPDX-License-Identifier: MIT
/* Figures by command, also of tasks for which there is no account of their own. */
#include "explain/figures/commands.h"
#include "unit/explain/made_traces.h"

#define TASKS (GROUP_ACCOUNTS_MAX + 5000)

/* Two threads a process; three commands, of which "late" begins after the accounts are full. */
static const struct trace_task *many_tasks(const void *context, uint32_t id)
{
	static struct trace_task task;

	if (!id || id > TASKS)
		return NULL;
	task = (struct trace_task){.id = id, .pid = 1000 + id, .tgid = 1000 + id / 2 * 2};
	snprintf(task.comm, sizeof(task.comm), "%s",
		 id >= GROUP_ACCOUNTS_MAX + 100 && id % 4 < 2 ? "late"
		 : id % 4 < 2				      ? "gzip"
							      : "cat");
	return &task;
}

static const struct explain_tables many_tables = {NULL,	     test_device, many_tasks,
						  test_file, test_cgroup, NULL};

static const struct explain_group *command_of(const struct explanation *x, const char *name)
{
	for (uint32_t i = 0; i < x->by_command.count; i++)
		if (!strcmp(x->by_command.list[i].name, name))
			return &x->by_command.list[i];
	abort();
}

static struct explanation *explain_ios(const struct explain_tables *tables, uint32_t first,
				       uint32_t last)
{
	struct explainer *e = explainer__new(tables, NULL, 0);

	for (uint32_t task = first; task <= last; task++) {
		struct io_row row = test_read(START_NS + task * MS, 0);

		row.task = task;
		test_add(e, row);
		test_add(e, row);
	}
	return test_finish(e, 100 * NSEC_PER_SEC);
}

static void no_process_of_a_command_is_among_the_others(void)
{
	struct explanation *x = explain_ios(&many_tables, 1, TASKS);
	uint64_t ios[3] = {0}, processes[3] = {0};
	static const char *const names[] = {"gzip", "cat", "late"};

	for (uint32_t id = 1; id <= TASKS; id++) {
		for (int i = 0; i < 3; i++) {
			if (strcmp(many_tasks(NULL, id)->comm, names[i]))
				continue;
			ios[i] += 2;
			processes[i] += id % 2 == 0 || id == 1;
		}
	}
	CHECK_EQ(x->by_command.count, 3);
	CHECK_EQ(x->by_command.others.ios, 0);
	for (int i = 0; i < 3; i++) {
		const struct explain_group *group = command_of(x, names[i]);

		CHECK_EQ(group->ios, ios[i]);
		CHECK_EQ(group->bytes, ios[i] * 4096);
		CHECK_EQ(group->latency_sum_ns, ios[i] * 100 * US);
		CHECK_EQ(group->processes, processes[i]);
		CHECK_EQ(group->tgid, 0);
	}
	CHECK_EQ(x->by_task.count, EXPLAIN_GROUPS_MAX);
	CHECK(explain_programs(x) == &x->by_command);
	explanation__free(x);
}

/* 400 processes of one command, and one of another. */
static const struct trace_task *tasks_of_one_command(const void *context, uint32_t id)
{
	static struct trace_task task;

	if (!id || id > 401)
		return NULL;
	task = (struct trace_task){.id = id, .pid = 1000 + id, .tgid = 1000 + id};
	snprintf(task.comm, sizeof(task.comm), "%s", id <= 400 ? "gzip" : "cat");
	return &task;
}

static const struct explain_tables one_command_tables = {
	NULL, test_device, tasks_of_one_command, test_file, test_cgroup, NULL};

static void many_processes_of_one_command_dominate_together(void)
{
	struct explanation *x = explain_ios(&one_command_tables, 1, 401);
	const struct explain_finding *finding = test_finding(x, "one-task-dominates");

	REQUIRE(finding);
	CHECK_TEXT(finding->title,
		   "one command caused most of the device time: gzip (400 processes)");
	CHECK(strstr(finding->evidence, "gzip (400 processes) submitted 800 of 802 IOs (100 %)"));
	CHECK(strstr(finding->advice, "starts this command so often"));
	explanation__free(x);
	/* Alone it takes nothing from others. */
	x = explain_ios(&one_command_tables, 1, 400);
	CHECK(!test_finding(x, "one-task-dominates"));
	explanation__free(x);
	/* Half of them are of each of two commands. */
	x = explain_ios(&many_tables, 1, 400);
	CHECK(!test_finding(x, "one-task-dominates"));
	explanation__free(x);
}

static void the_only_process_of_a_command_is_named(void)
{
	struct explanation *x = explain_ios(&test_tables, 1, 4);
	char label[EXPLAIN_LABEL_MAX];

	CHECK_EQ(x->by_command.count, 3);
	CHECK_EQ(command_of(x, "mysqld")->ios, 4);
	CHECK_EQ(command_of(x, "mysqld")->processes, 1);
	CHECK_TEXT(explain_group_label(command_of(x, "mysqld"), label, sizeof(label)),
		   "mysqld 100");
	CHECK_EQ(command_of(x, "jbd2")->kernel_thread, true);
	CHECK(explain_programs(x) == &x->by_task);
	explanation__free(x);
}

int main(void)
{
	RUN(no_process_of_a_command_is_among_the_others);
	RUN(many_processes_of_one_command_dominate_together);
	RUN(the_only_process_of_a_command_is_named);
	return TEST_RESULT;
}
