// SPDX-License-Identifier: MIT
/* A thread that waits for a completion of io_uring, and the worker that carries out the request. */
#include "explain/waits/worker_sleeps.h"
#include "unit/explain/made_waits.h"

enum {
	WAITER = 1,
	WORKER = 2, /* of the same process */
	JOURNAL = 4
};

static void add_sleep(struct explainer *e, uint32_t task, uint32_t stack, uint32_t waker,
		      uint64_t from_us, uint64_t to_us)
{
	bool in_call = task == WAITER;
	struct wait_row sleep = {.what = WAIT_SLEEP,
				 .call = in_call ? WAIT_CALL_IO_URING : WAIT_CALL_NONE,
				 .time_ns = START_NS + from_us * US,
				 .duration_ns = (to_us - from_us) * US,
				 .call_ns = in_call ? START_NS : 0,
				 .task = task,
				 .waker = waker,
				 .stack = stack};

	CHECK(!explainer__add_wait(e, &sleep));
}

/* A call of [0, 1000) us that slept in [100, 900), the time before 150 and 30 of the rest beside a worker that ran. */
static struct explanation *sync_by_worker(uint32_t waker, uint32_t worker_stack)
{
	struct wait_row call = {.what = WAIT_CALL,
				.call = WAIT_CALL_IO_URING,
				.time_ns = START_NS,
				.duration_ns = 1000 * US,
				.cpu_ns = 200 * US,
				.sleep_ns = 800 * US,
				.call_ns = START_NS,
				.count = 1,
				.task = WAITER};
	struct explainer *e = new_explainer();
	struct io_row write = io(200, false, 200, 390);

	write.op = IO_OP_WRITE;
	write.task = JOURNAL;
	write.origin = IO_ORIGIN_BLOCKDEV;
	test_add(e, write);
	write.created_ns = write.issued_ns = START_NS + 500 * US;
	write.completed_ns = START_NS + 870 * US;
	test_add(e, write);
	add_sleep(e, WORKER, worker_stack, JOURNAL, 40, 60); /* nothing is written */
	add_sleep(e, WORKER, worker_stack, JOURNAL, 150, 400);
	add_sleep(e, WORKER, worker_stack, JOURNAL, 410, 880);
	add_sleep(e, WAITER, READS_URING, waker, 100, 900);
	CHECK(!explainer__add_wait(e, &call));
	return test_finish(e, 10 * MS);
}

static const struct explain_wait_task *task_of(const struct explanation *x, uint32_t pid)
{
	for (uint32_t i = 0; i < x->waits.task_count; i++)
		if (x->waits.tasks[i].pid == pid)
			return &x->waits.tasks[i];
	return NULL;
}

static uint64_t journal_us(const struct explanation *x, uint32_t task)
{
	const struct explain_wait_task *found = task_of(x, test_task(NULL, task)->pid);

	return found ? found->causes[CAUSE_JOURNAL].ns / US : 0;
}

static void who_waits_for_a_worker_waits_for_what_the_worker_sleeps_for(void)
{
	struct explanation *x = sync_by_worker(WORKER, SYNCS_IN_WORKER);
	const struct explain_wait_task *task = task_of(x, test_task(NULL, WAITER)->pid);

	REQUIRE(task && task->call_count == 1);
	CHECK_EQ(journal_us(x, WAITER), 250 + 470);
	CHECK_EQ(journal_us(x, WORKER), 250 + 470);
	CHECK_EQ(task->calls[0].ns, (200 + 250 + 470) * US);
	CHECK_EQ(task->calls[0].causes[CAUSE_CPU].ns, 200 * US);
	CHECK_EQ(x->waits.unaccounted_ns, 0);
	REQUIRE(x->waits.worst_count > 1);
	CHECK_EQ(x->waits.worst[0].duration_ns, 470 * US);
	CHECK_TEXT(x->waits.worst[0].waker, test_task(NULL, JOURNAL)->comm);
	explanation__free(x);
}

static void another_waker_tells_nothing(void)
{
	struct explanation *x = sync_by_worker(3, SYNCS_IN_WORKER);

	CHECK(!task_of(x, test_task(NULL, WAITER)->pid));
	CHECK_EQ(journal_us(x, WORKER), 250 + 470);
	explanation__free(x);
	/* A thread that is no worker can wake it, too. */
	x = sync_by_worker(WORKER, SYNCS);
	CHECK(!task_of(x, test_task(NULL, WAITER)->pid));
	explanation__free(x);
}

static void only_the_latest_sleeps_are_kept(void)
{
	struct worker_sleeps w = {0};
	struct sleep sleep = {.row = {.time_ns = 0, .duration_ns = 1000}};
	uint64_t left_out_ns, count = 0;

	CHECK_EQ(worker_sleeps__replace(&w, &sleep, &left_out_ns), 0);
	CHECK_EQ(left_out_ns, 0);
	CHECK_EQ(sleep.row.duration_ns, 1000);
	for (uint64_t i = 0; i < 300; i++) {
		struct wait_row row = {.time_ns = 3 * i, .duration_ns = 2};

		CHECK_EQ(worker_sleeps__add(&w, &row), 0);
	}
	CHECK_EQ(worker_sleeps__replace(&w, &sleep, &left_out_ns), 0);
	CHECK_EQ(sleep.row.duration_ns, 44 * 3);
	for (const struct sleep *part = sleep.next; part; part = part->next)
		count++;
	CHECK_EQ(count, 256);
	CHECK_EQ(left_out_ns, 1000 - 44 * 3 - 256 * 2);
	sleep__free(sleep.next);
	worker_sleeps__free(&w);
}

int main(void)
{
	RUN(who_waits_for_a_worker_waits_for_what_the_worker_sleeps_for);
	RUN(another_waker_tells_nothing);
	RUN(only_the_latest_sleeps_are_kept);
	return TEST_RESULT;
}
