// SPDX-License-Identifier: MIT
/* How the records of waits name tasks. */
#include <sys/mman.h>

#include "collector/rows/wait_rows.h"
#include "unit/shared/test.h"

#define TASKS_MAX 8

static struct {
	struct trace_task tasks[TASKS_MAX];
	unsigned int count;
} noted;

static int note_task(void *context, const struct trace_task *task)
{
	(void)context;
	if (noted.count < TASKS_MAX)
		noted.tasks[noted.count++] = *task;
	return 0;
}

static const struct row_tables tables = {.task = note_task};
static const struct trace_host host = {.kernel = "6.12.0"};
static struct registry *registry;
static struct trace_writer *writer;
static struct wait_rows *rows;

static bool begin(void)
{
	noted.count = 0;
	return !registry__create(&tables, &registry) && !wait_rows__create(NULL, &rows) &&
	       !trace_writer__create_on(memfd_create("rows", MFD_CLOEXEC), &host, NULL, &writer);
}

static void end(void)
{
	trace_writer__close(writer, NULL);
	wait_rows__free(rows);
	registry__free(registry);
}

/* A task of process 100 slept; `event` has who woke it. */
static void add_sleep(struct wait_event *event)
{
	event->what = WAIT_EVENT_SLEEP;
	event->time_ns = 10;
	event->end_ns = 20;
	event->stack = -1;
	event->tgid = 100;
	CHECK_EQ(wait_rows__add(rows, event, registry, writer, 0, UINT64_MAX), 0);
}

static void a_waker_is_a_program_or_a_thread_of_the_kernel(void)
{
	struct wait_event by_journal = {
		.pid = 101, .comm = "ledger", .waker_pid = 30, .waker_comm = "jbd2/sda1-8"};
	struct wait_event by_program = {.pid = 101,
					.comm = "ledger",
					.waker_pid = 102,
					.waker_tgid = 100,
					.waker_comm = "jbd2/sda1-8"};
	struct wait_event by_nobody = {.pid = 101, .comm = "ledger"};

	REQUIRE(begin());
	add_sleep(&by_journal);
	add_sleep(&by_program);
	add_sleep(&by_nobody);
	REQUIRE(noted.count == 3);
	CHECK(!noted.tasks[0].kernel_thread);
	CHECK_EQ(noted.tasks[1].pid, 30);
	CHECK_EQ(noted.tasks[1].tgid, 30);
	CHECK(noted.tasks[1].kernel_thread);
	CHECK_EQ(noted.tasks[2].pid, 102);
	CHECK_EQ(noted.tasks[2].tgid, 100);
	CHECK(!noted.tasks[2].kernel_thread);
	end();
}

int main(void)
{
	RUN(a_waker_is_a_program_or_a_thread_of_the_kernel);
	return TEST_RESULT;
}
