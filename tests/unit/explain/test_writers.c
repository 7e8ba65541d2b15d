// SPDX-License-Identifier: MIT
/* Whose pages threads of the kernel wrote: on the first screen, and in the finding about the thread. */
#include "render/owners.h"
#include "unit/explain/made_traces.h"

enum {
	WORKER = 5,
	COPIES,
};

static const struct trace_task more_tasks[] = {
	{.id = WORKER, .pid = 31, .tgid = 31, .comm = "kworker/u8:3", .kernel_thread = true},
	{.id = COPIES, .pid = 300, .tgid = 300, .comm = "cp"},
};

static const struct trace_task *task_of(const void *context, uint32_t id)
{
	if (id < WORKER)
		return test_task(context, id);
	FIND_BY_ID(more_tasks, id);
}

static const struct explain_tables tables = {NULL,	test_device, task_of,
					     test_file, test_cgroup, NULL};

/* 400 writes by a thread of the kernel, 10 ms each, and as many reads by mysqld. */
static struct explanation *with_writeback(uint32_t writer)
{
	struct explainer *e = explainer__new(&tables, NULL, 0);
	struct cache_row dirtied = {.time_ns = START_NS,
				    .interval_ns = MS,
				    .task = writer,
				    .file = 2,
				    .dirtied_pages = 100};

	if (writer)
		CHECK(!explainer__add_cache(e, &dirtied));
	for (uint64_t i = 0; i < 400; i++) {
		struct io_row write = test_read(START_NS + i * 20 * MS, 1 << 20);

		test_add(e, write);
		write.op = IO_OP_WRITE;
		write.task = WORKER;
		write.file = i < 300 ? 2 : 0;
		write.completed_ns = write.created_ns + 10 * MS;
		test_add(e, write);
	}
	return test_finish(e, 8000 * MS);
}

static void what_the_kernel_writes_is_said_to_be_of_who_wrote_the_pages(void)
{
	struct explanation *x = with_writeback(COPIES);
	char *owners = render_owners_text(x);
	const struct explain_finding *finding = test_finding(x, "one-task-dominates");

	REQUIRE(x->writer_count == 1);
	CHECK_TEXT(x->writers[0].comm, "cp");
	CHECK_EQ(x->writers[0].io_ns, 300 * 10 * MS);
	CHECK_TEXT(owners, "Whose IOs took the time: kworker/u8:3 (pid 31) 99 %. Threads of the "
			   "kernel send IOs for others: pages of cp took 74 %.");
	CHECK(finding && strstr(finding->advice, "Look at cp first, whose pages took 3.00 s"));
	free(owners);
	explanation__free(x);
	x = with_writeback(0);
	owners = render_owners_text(x);
	finding = test_finding(x, "one-task-dominates");
	CHECK_EQ(x->writer_count, 0);
	CHECK_TEXT(owners, "Whose IOs took the time: kworker/u8:3 (pid 31) 99 %.");
	CHECK(finding && strstr(finding->advice, "Look at which files are written"));
	free(owners);
	explanation__free(x);
}

int main(void)
{
	RUN(what_the_kernel_writes_is_said_to_be_of_who_wrote_the_pages);
	return TEST_RESULT;
}
