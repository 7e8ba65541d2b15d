// SPDX-License-Identifier: MIT
/* What explain says of the waits of many tasks, and of waits whose records are not whole. */
#include <stdio.h>
#include <stdlib.h>

#include "render/explain/explain.h"
#include "unit/explain/made_waits.h"

/* Whether the text about the waits has this part. Frees x. */
static bool says(struct explanation *x, const char *part)
{
	size_t bytes;
	char *text = NULL;
	FILE *out = open_memstream(&text, &bytes);
	bool found;

	if (!out)
		abort();
	CHECK(!explain_print_waits(out, x));
	fclose(out);
	found = strstr(text, part) != NULL;
	free(text);
	explanation__free(x);
	return found;
}

static void sleeps_without_a_stack_are_counted(void)
{
	struct explainer *e = new_explainer();

	add_call(e, SYNCS, 300);
	CHECK(!says(test_finish(e, 10 * MS), "Note:"));
	e = new_explainer();
	add_call(e, 0, 300);
	CHECK(says(test_finish(e, 10 * MS), "Note: 1 sleep had no stack"));
}

static void the_time_of_sleeps_without_a_wakeup_is_told(void)
{
	struct wait_row sleep = {.what = WAIT_SLEEP,
				 .time_ns = START_NS + 100 * US,
				 .duration_ns = 300 * US,
				 .call_ns = START_NS,
				 .call = WAIT_CALL_READ,
				 .flags = WAIT_NO_WAKEUP,
				 .task = 1,
				 .stack = SYNCS};
	struct explainer *e = new_explainer();
	struct explanation *x;

	CHECK(!explainer__add_wait(e, &sleep));
	add_call(e, SYNCS, 0);
	x = test_finish(e, 10 * MS);
	CHECK_EQ(x->waits.no_wakeup_ns, 300 * US);
	CHECK(says(x, "the wakeup from sleeps of 300 us was not seen"));
}

#define MANY 200u

/* Tasks of the name "postgres" up to MANY, then each with a name of its own. */
static const struct trace_task *numbered_task(const void *context, uint32_t id)
{
	static struct trace_task task;

	task = (struct trace_task){.id = id, .pid = 1000 + id, .tgid = 1000 + id};
	if (id <= MANY)
		memcpy(task.comm, "postgres", sizeof("postgres"));
	else
		snprintf(task.comm, sizeof(task.comm), "db_%u", id);
	return &task;
}

/* MANY tasks of 20 ms: each calls fsync for 10 ms and waits 9 ms in it for the journal. */
static struct explanation *many_syncs(uint32_t first)
{
	static const struct explain_tables tables = {NULL,	test_device, numbered_task,
						     test_file, test_cgroup, test_stack};
	struct explainer *e = explainer__new(&tables, NULL, 0);

	for (uint32_t id = first; e && id < first + MANY; id++)
		add_sync(e, id, 1 * MS, 9 * MS, 20 * MS);
	return test_finish(e, 20 * MS);
}

static void many_tasks_of_one_name_are_summed(void)
{
	struct explanation *x = many_syncs(1);
	const struct explain_wait_task *command = x->waits.commands;

	CHECK_EQ(x->waits.task_count, MANY);
	REQUIRE(x->waits.command_count == 1);
	CHECK_EQ(command->tasks, MANY);
	CHECK_EQ(command->waited_ns, MANY * 9 * MS);
	CHECK_EQ(command->waited_ns, x->waits.total_ns);
	CHECK_EQ(command->outside_ns, MANY * 10 * MS);
	REQUIRE(command->call_count == 1);
	CHECK_EQ(command->calls[0].count, MANY);
	CHECK_EQ(command->calls[0].max_ns, 10 * MS);
	CHECK_EQ(command->calls[0].p50_ns, x->waits.tasks[0].calls[0].p50_ns);
	CHECK(strstr(x->verdict, "postgres (200 tasks) called fsync 200 times and waited 1.80 s "
				 "of 4.00 s in all for it (p50 10 ms, p99 10 ms): 1.80 s "
				 "(100.0 %) for the journal.") != NULL);
	CHECK(says(x, "Where the time of postgres (200 tasks) went: 4.00 s in all"));
	CHECK(!says(many_syncs(1), "see --json"));
}

static void of_many_tasks_with_little_each_the_first_is_shown(void)
{
	CHECK(says(many_syncs(MANY + 1), "Where the time of db_"));
	CHECK(says(many_syncs(MANY + 1), "  199 tasks more: see --json"));
	CHECK(says(many_syncs(2), "Where the time of postgres (199 tasks) went"));
	CHECK(!says(many_syncs(2), "Where the time of db_"));
	CHECK(says(many_syncs(2), "  1 command more: see --json"));
}

int main(void)
{
	RUN(the_time_of_sleeps_without_a_wakeup_is_told);
	RUN(many_tasks_of_one_name_are_summed);
	RUN(of_many_tasks_with_little_each_the_first_is_shown);
	RUN(sleeps_without_a_stack_are_counted);
	return TEST_RESULT;
}
