/* SPDX-License-Identifier: MIT */
/* Traces with rows of waits for tests of findings: stacks, tasks, files and a control group with a limit. */
#ifndef BLKREEL_TESTS_UNIT_EXPLAIN_WAITING_H
#define BLKREEL_TESTS_UNIT_EXPLAIN_WAITING_H

#include "unit/explain/made_traces.h"

enum {
	READS_DIRECT = 1,
	WRITES_DIRTY,
	READS_PAGE,
	FLUSHES,
	TAGS,
	COMMITS,
};

static const struct trace_stack stacks[] = {
	{READS_DIRECT, "schedule io_schedule __iomap_dio_rw iomap_dio_rw vfs_read"},
	{WRITES_DIRTY, "schedule io_schedule_timeout balance_dirty_pages generic_perform_write"},
	{READS_PAGE, "schedule io_schedule folio_wait_bit_common filemap_update_page filemap_read"},
	{FLUSHES, "schedule submit_bio_wait blkdev_issue_flush blkdev_fsync"},
	{TAGS, "schedule io_schedule blk_mq_get_tag __blk_mq_alloc_requests blk_mq_submit_bio"},
	{COMMITS, "schedule jbd2_log_wait_commit ext4_sync_file do_fsync"},
};

static inline const struct trace_stack *stack_of(const void *context, uint32_t id)
{
	FIND_BY_ID(stacks, id);
}

enum {
	WORKER = 5,
	COPIES,
};

static const struct trace_task more_tasks[] = {
	{.id = WORKER, .pid = 31, .tgid = 31, .comm = "kworker/u8:3", .kernel_thread = true},
	{.id = COPIES, .pid = 300, .tgid = 300, .comm = "cp"},
};

static const struct trace_file files[] = {
	{.id = 1, .first_id = 1, .inode = 11, .path = "/srv/a"},
	{.id = 2, .first_id = 2, .inode = 12, .path = "/srv/copy"},
};

static inline const struct trace_task *task_of(const void *context, uint32_t id)
{
	if (id < WORKER)
		return test_task(context, id);
	FIND_BY_ID(more_tasks, id);
}

static inline const struct trace_file *file_of(const void *context, uint32_t id)
{
	FIND_BY_ID(files, id);
}

static struct trace_io_limit limit = {.major = 8};
static const struct trace_cgroup limited = {
	.id = 1, .path = "/batch/db", .io_limits = &limit, .io_limit_count = 1};

static inline const struct trace_cgroup *cgroup_of(const void *context, uint32_t id)
{
	return id == limited.id ? &limited : NULL;
}

static const struct explain_tables tables = {NULL,    test_device, task_of,
					     file_of, cgroup_of,   stack_of};

/* A call of `us` that slept all the time, at `from` us. */
static inline void add_sleep(struct explainer *e, uint32_t task, uint32_t stack, uint64_t from,
			     uint64_t us)
{
	struct wait_row row = {.what = WAIT_SLEEP,
			       .call = WAIT_CALL_READ,
			       .time_ns = START_NS + from * US,
			       .duration_ns = us * US,
			       .call_ns = START_NS + from * US,
			       .task = task,
			       .stack = stack};

	CHECK(!explainer__add_wait(e, &row));
	row.what = WAIT_CALL;
	row.sleep_ns = row.duration_ns;
	row.count = 1;
	row.file = 1;
	CHECK(!explainer__add_wait(e, &row));
}

static inline struct explainer *new_explainer(void)
{
	struct explainer *e = explainer__new(&tables, NULL, 0);

	if (!e)
		abort();
	return e;
}

/* 100 direct reads, which a limit holds back for 18.9 of 19 ms each: a worker of the kernel sends them on. */
static inline void add_limited(struct explainer *e)
{
	for (uint64_t i = 0; i < 100; i++) {
		struct io_row row = test_read(START_NS + (i * 19500 + 18900) * US, i * 8);

		row.origin = IO_ORIGIN_DIRECT;
		row.task = 4;
		row.file = 0;
		test_add(e, row);
		add_sleep(e, 1, READS_DIRECT, i * 19500, 19000);
	}
}

#endif
