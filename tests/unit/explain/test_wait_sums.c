// SPDX-License-Identifier: MIT
/* Sums of waits: of tasks, of calls whose rows come late or were cut, and of who made others wait. */
#include "explain/waits/account.h"
#include "unit/explain/made_waits.h"

static void times_add_up_and_lost_sleeps_are_told(void)
{
	struct explainer *e = new_explainer();
	const struct explain_wait_task *task;
	struct explanation *x;

	add_call(e, SYNCS, 300);
	x = test_finish(e, 10 * MS);
	CHECK_EQ(x->waits.unaccounted_ns, 500 * US);
	CHECK_EQ(x->waits.total_ns, 400 * US);
	CHECK_EQ(x->waits.total_ns, x->waits.tasks[0].waited_ns);
	REQUIRE(x->waits.task_count == 1);
	task = &x->waits.tasks[0];
	CHECK_EQ(task->wall_ns, 2000 * US);
	CHECK_EQ(task->unaccounted_ns, 0);
	CHECK_EQ(task->cpu_ns, 400 * US);
	CHECK_EQ(task->run_queue_ns, 100 * US);
	CHECK_EQ(task->outside_ns, 1200 * US);
	REQUIRE(task->call_count == 1);
	CHECK_EQ(task->calls[0].ns, 1000 * US);
	CHECK_EQ(task->calls[0].p50_ns, 1000 * US);
	explanation__free(x);
}

static void what_goes_on_after_the_end_of_a_part_is_cut_there(void)
{
	struct explainer *e = new_explainer();
	const struct explain_wait_task *task;
	struct explanation *x;

	explainer__begin(e, START_NS, START_NS + 500 * US);
	add_call(e, SYNCS, 800);
	x = test_finish(e, 1 * MS);
	REQUIRE(x->waits.task_count == 1);
	task = &x->waits.tasks[0];
	REQUIRE(task->call_count == 1);
	CHECK_EQ(task->calls[0].ns, 500 * US);
	CHECK_EQ(task->calls[0].causes[CAUSE_JOURNAL].ns, 400 * US);
	CHECK_EQ(task->calls[0].causes[CAUSE_CPU].ns, 75 * US);
	CHECK_EQ(task->calls[0].causes[CAUSE_RUN_QUEUE].ns, 25 * US);
	REQUIRE(x->waits.worst_count == 1);
	CHECK_EQ(x->waits.worst[0].duration_ns, 400 * US);
	explanation__free(x);
}

/* Of two hosts, on which different programs have one number. */
static const struct trace_task *task_of_host(const void *context, uint32_t id)
{
	static const struct trace_task tasks[] = {
		{.id = 1, .pid = 100, .tgid = 100, .comm = "mysqld"},
		{.id = 2, .pid = 100, .tgid = 100, .comm = "cp"},
	};

	return id == 1 || id == 2 ? &tasks[id - 1] : NULL;
}

static struct explanation *with_one_number_twice(bool is_joined)
{
	static const struct explain_tables tables = {NULL,	test_device, task_of_host,
						     test_file, test_cgroup, test_stack};
	struct explainer *e = explainer__new(&tables, NULL, 0);

	if (!e)
		abort();
	if (is_joined)
		explainer__join_hosts(e);
	for (uint32_t id = 1; id <= 2; id++)
		add_sync(e, id, 0, 800 * US, 1000 * US);
	return test_finish(e, 1 * MS);
}

static void tasks_of_several_hosts_with_one_number_are_not_added_up(void)
{
	struct explanation *x = with_one_number_twice(true);

	REQUIRE(x->waits.task_count == 2);
	for (uint32_t i = 0; i < 2; i++) {
		const struct explain_wait_task *task = &x->waits.tasks[i];

		CHECK_EQ(task->wall_ns, 1000 * US);
		REQUIRE(task->call_count == 1);
		CHECK_EQ(task->calls[0].count, 1);
	}
	CHECK(strcmp(x->waits.tasks[0].comm, x->waits.tasks[1].comm) != 0);
	CHECK_EQ(x->waits.causes[CAUSE_JOURNAL].ns, 1600 * US);
	CHECK_EQ(x->waits.blame_count, 0);
	explanation__free(x);
	/* On one host it is a task that changed its name. */
	x = with_one_number_twice(false);
	REQUIRE(x->waits.task_count == 1);
	CHECK_EQ(x->waits.tasks[0].wall_ns, 2000 * US);
	CHECK(x->waits.blame_count > 0);
	explanation__free(x);
}

/* 300 us of a task in which the recording saw nothing of it. */
static void the_rest_of_a_task_is_unaccounted(void)
{
	struct wait_row unseen = {.what = WAIT_TASK,
				  .time_ns = START_NS + 2300 * US,
				  .duration_ns = 300 * US,
				  .task = 1};
	struct explainer *e = new_explainer();
	struct explanation *x;

	add_call(e, SYNCS, 800);
	CHECK(!explainer__add_wait(e, &unseen));
	x = test_finish(e, 10 * MS);
	REQUIRE(x->waits.task_count == 1);
	CHECK_EQ(x->waits.tasks[0].wall_ns, 2300 * US);
	CHECK_EQ(x->waits.tasks[0].outside_ns, 700 * US);
	CHECK_EQ(x->waits.tasks[0].unaccounted_ns, 300 * US);
	explanation__free(x);
}

static void sleep_in_call(struct explainer *e, uint64_t call_us, uint64_t from_us, uint64_t us)
{
	struct wait_row row = {.what = WAIT_SLEEP,
			       .call = WAIT_CALL_FSYNC,
			       .time_ns = START_NS + from_us * US,
			       .duration_ns = us * US,
			       .call_ns = START_NS + call_us * US,
			       .task = 1,
			       .stack = SYNCS};

	CHECK(!explainer__add_wait(e, &row));
}

static void sync_call(struct explainer *e, uint64_t from_us, uint64_t us)
{
	struct wait_row row = {.what = WAIT_CALL,
			       .call = WAIT_CALL_FSYNC,
			       .time_ns = START_NS + from_us * US,
			       .duration_ns = us * US,
			       .sleep_ns = us * US,
			       .call_ns = START_NS + from_us * US,
			       .count = 1,
			       .task = 1,
			       .file = 1};

	CHECK(!explainer__add_wait(e, &row));
}

/* A task that changes its CPU in a call leaves rows in two buffers, which are read one after the other. */
static void a_sleep_that_comes_after_its_call_is_of_it(void)
{
	struct explainer *e = new_explainer();
	struct explanation *x;

	sleep_in_call(e, 0, 60, 40);
	sync_call(e, 200, 50);
	sync_call(e, 0, 100);
	sleep_in_call(e, 200, 200, 20);
	sleep_in_call(e, 0, 0, 60);
	sleep_in_call(e, 200, 220, 30);
	x = test_finish(e, 10 * MS);
	CHECK_EQ(x->waits.unaccounted_ns, 0);
	CHECK_EQ(x->waits.causes[CAUSE_JOURNAL].ns, 150 * US);
	CHECK_EQ(x->waits.causes[CAUSE_JOURNAL].count, 4);
	explanation__free(x);
}

static void fault(struct explainer *e, uint64_t from_us, uint64_t us)
{
	struct wait_row row = {.what = WAIT_SLEEP,
			       .time_ns = START_NS + from_us * US,
			       .duration_ns = us * US,
			       .task = 1,
			       .stack = READS_PAGE};

	CHECK(!explainer__add_wait(e, &row));
}

/* Page faults of a task that changed its CPU: each waits for the page that it asked for itself. */
static void faults_may_come_in_any_order(void)
{
	struct io_row first = io(50, false, 60, 100), second = io(150, false, 160, 200);
	struct explainer *e = new_explainer();
	struct explanation *x;

	first.origin = second.origin = IO_ORIGIN_FILE;
	CHECK(!explainer__add_io(e, &first));
	CHECK(!explainer__add_io(e, &second));
	fault(e, 155, 45);
	fault(e, 55, 45);
	x = test_finish(e, 10 * MS);
	CHECK_EQ(x->waits.causes[CAUSE_PAGE_READ].ns, 90 * US);
	CHECK_EQ(x->waits.causes[CAUSE_READAHEAD_IN_FLIGHT].ns, 0);
	explanation__free(x);
}

static void task_time(struct explainer *e, uint64_t from_us, uint64_t us, uint64_t slept_us)
{
	struct wait_row row = {.what = WAIT_TASK,
			       .time_ns = START_NS + (from_us + us) * US,
			       .duration_ns = us * US,
			       .cpu_ns = (us - slept_us) * US,
			       .sleep_ns = slept_us * US,
			       .task = 1};

	CHECK(!explainer__add_wait(e, &row));
}

/* A call of fsync(2) from 0 us on, which first sleeps and then runs. */
static void open_sync(struct explainer *e, uint64_t us, uint64_t cpu_us, uint32_t flags)
{
	struct wait_row row = {.what = WAIT_SLEEP,
			       .call = WAIT_CALL_FSYNC,
			       .time_ns = START_NS,
			       .duration_ns = (us - cpu_us) * US,
			       .call_ns = START_NS,
			       .task = 1,
			       .stack = SYNCS,
			       .flags = flags};

	CHECK(!explainer__add_wait(e, &row));
	row.what = WAIT_CALL;
	row.stack = 0;
	row.sleep_ns = row.duration_ns;
	row.duration_ns = us * US;
	row.cpu_ns = cpu_us * US;
	row.count = 1;
	row.file = 1;
	CHECK(!explainer__add_wait(e, &row));
}

/* A file of a flight recorder also has what had not ended when an earlier file was written. */
static void of_a_call_that_was_cut_the_longest_row_counts(void)
{
	struct explainer *e = new_explainer();
	struct explanation *x;

	open_sync(e, 100, 0, WAIT_CUT);
	open_sync(e, 300, 0, WAIT_CUT);
	open_sync(e, 1000, 40, 0);
	x = test_finish(e, 10 * MS);
	REQUIRE(x->waits.task_count == 1);
	CHECK_EQ(x->waits.causes[CAUSE_JOURNAL].ns, 960 * US);
	CHECK_EQ(x->waits.tasks[0].calls[0].count, 1);
	CHECK_EQ(x->waits.unaccounted_ns, 0);
	explanation__free(x);
	e = new_explainer();
	open_sync(e, 300, 0, WAIT_CUT);
	x = test_finish(e, 10 * MS);
	CHECK_EQ(x->waits.causes[CAUSE_JOURNAL].ns, 300 * US);
	CHECK_EQ(x->waits.tasks[0].calls[0].count, 1);
	explanation__free(x);
}

/* The file before has the first 600 us of the task. */
static void a_call_that_began_in_an_earlier_file_has_its_part_here(void)
{
	struct explainer *e = new_explainer();
	const struct explain_wait_task *task;
	struct explanation *x;

	open_sync(e, 1000, 40, 0);
	task_time(e, 600, 500, 360);
	x = test_finish(e, 10 * MS);
	REQUIRE(x->waits.task_count == 1);
	task = &x->waits.tasks[0];
	CHECK_EQ(task->causes[CAUSE_JOURNAL].ns, 360 * US);
	CHECK_EQ(task->calls[0].ns, 400 * US);
	CHECK_EQ(task->calls[0].causes[CAUSE_CPU].ns, 40 * US);
	CHECK_EQ(task->wall_ns, task->cpu_ns + task->causes[CAUSE_JOURNAL].ns);
	CHECK_EQ(x->waits.worst[0].duration_ns, 360 * US);
	CHECK_EQ(x->waits.unaccounted_ns, 0);
	explanation__free(x);
	/* A call that ended before, and whose row came late. */
	e = new_explainer();
	open_sync(e, 1000, 40, 0);
	task_time(e, 1100, 500, 0);
	x = test_finish(e, 10 * MS);
	CHECK_EQ(x->waits.total_ns, 0);
	explanation__free(x);
}

static void the_percentiles_of_one_call_are_its_length(void)
{
	struct explainer *e = new_explainer();
	const struct explain_calls *calls;
	struct explanation *x;

	call_asleep(e, 0, 200000, LOCKS, 1);
	x = test_finish(e, 1000 * MS);
	REQUIRE(x->waits.task_count == 1);
	calls = &x->waits.tasks[0].calls[0];
	CHECK_EQ(calls->p50_ns, 200 * MS);
	CHECK_EQ(calls->p99_ns, 200 * MS);
	explanation__free(x);
}

/* Twelve reads, each behind another task; the later ones longer. */
static void the_culprits_are_those_with_most_time(void)
{
	struct explainer *e = new_explainer();
	const struct explain_calls *calls;
	struct explanation *x;

	for (uint32_t i = 0; i < MADE_UP_COUNT; i++) {
		uint64_t from_us = i * 10000, us = 100 * (i + 1);
		struct io_row other = io(from_us, false, from_us, from_us + us);
		struct io_row own = io(from_us, false, from_us, from_us + 2 * us);

		other.task = MADE_UP + i;
		CHECK(!explainer__add_io(e, &other));
		CHECK(!explainer__add_io(e, &own));
		call_asleep(e, from_us, 2 * us, READS_DIRECT, 1);
	}
	x = test_finish(e, 1000 * MS);
	REQUIRE(x->waits.task_count == 1);
	calls = &x->waits.tasks[0].calls[0];
	REQUIRE(calls->culprit_count == EXPLAIN_CULPRITS);
	CHECK_TEXT(calls->culprits[0].name, "task_111");
	CHECK_EQ(calls->culprits[0].ns, 1200 * US);
	CHECK_TEXT(calls->culprits[7].name, "task_104");
	explanation__free(x);
}

static void the_functions_of_other_waits_are_those_with_most_time(void)
{
	struct explainer *e = new_explainer();
	struct explanation *x;

	for (uint32_t i = 0; i < MADE_UP_COUNT; i++)
		call_asleep(e, i * 10000, 100 * (i + 1), MADE_UP + i, 1);
	x = test_finish(e, 1000 * MS);
	REQUIRE(x->waits.other_count == EXPLAIN_OTHER_WAITS);
	CHECK_TEXT(x->waits.others[0].function, "made_up_111");
	CHECK_EQ(x->waits.others[0].ns, 1200 * US);
	CHECK_TEXT(x->waits.others[7].function, "made_up_104");
	explanation__free(x);
}

/* It used no file and no IO of a recorded device. */
static void a_task_elsewhere_adds_to_no_total(void)
{
	struct wait_row longer = {.what = WAIT_CALL,
				  .call = WAIT_CALL_TRUNCATE,
				  .time_ns = START_NS + 5000 * US,
				  .duration_ns = 100 * US,
				  .call_ns = START_NS + 5000 * US,
				  .count = 1,
				  .task = 1};
	struct explainer *e = new_explainer();
	struct explanation *x;

	call_asleep(e, 0, 100, MADE_UP, 0);
	call_asleep(e, 1000, 100, 0, 0);
	CHECK(!explainer__add_wait(e, &longer));
	x = test_finish(e, 10 * MS);
	CHECK_EQ(x->waits.task_count, 0);
	CHECK_EQ(x->waits.other_count, 0);
	CHECK_EQ(x->waits.unexplained, 0);
	CHECK_EQ(x->waits.unaccounted_ns, 0);
	explanation__free(x);
}

int main(void)
{
	RUN(times_add_up_and_lost_sleeps_are_told);
	RUN(what_goes_on_after_the_end_of_a_part_is_cut_there);
	RUN(tasks_of_several_hosts_with_one_number_are_not_added_up);
	RUN(the_rest_of_a_task_is_unaccounted);
	RUN(a_sleep_that_comes_after_its_call_is_of_it);
	RUN(faults_may_come_in_any_order);
	RUN(of_a_call_that_was_cut_the_longest_row_counts);
	RUN(a_call_that_began_in_an_earlier_file_has_its_part_here);
	RUN(the_percentiles_of_one_call_are_its_length);
	RUN(the_culprits_are_those_with_most_time);
	RUN(the_functions_of_other_waits_are_those_with_most_time);
	RUN(a_task_elsewhere_adds_to_no_total);
	return TEST_RESULT;
}
