/* SPDX-License-Identifier: MIT */
/* Waits of tasks, with stacks and IOs, for tests of what is made of them. */
#ifndef BLKREEL_TESTS_UNIT_EXPLAIN_MADE_WAITS_H
#define BLKREEL_TESTS_UNIT_EXPLAIN_MADE_WAITS_H

#include "unit/explain/made_traces.h"

enum {
	READS_DIRECT = 1,
	READS_PAGE,
	COLLECTS,
	READS_SWAP,
	READS_URING,
	SYNCS_IN_WORKER,
	SYNCS,
	LOCKS,
	SYNCS_ALL
};

static const struct trace_stack test_stacks[] = {
	{READS_DIRECT, "schedule io_schedule_timeout __iomap_dio_rw iomap_dio_rw vfs_read"},
	{READS_PAGE, "schedule io_schedule folio_wait_bit_common filemap_update_page filemap_read"},
	{COLLECTS, "schedule read_events do_io_getevents __x64_sys_io_getevents"},
	{READS_SWAP, "schedule io_schedule submit_bio_wait swap_read_folio do_swap_page "
		     "handle_mm_fault exc_page_fault"},
	{READS_URING, "schedule io_cqring_wait __do_sys_io_uring_enter"},
	{SYNCS_IN_WORKER, "schedule jbd2_log_wait_commit ext4_sync_file vfs_fsync_range io_fsync "
			  "io_issue_sqe io_wq_submit_work io_wq_worker"},
	{SYNCS, "schedule jbd2_log_wait_commit ext4_sync_file do_fsync"},
	{SYNCS_ALL, "schedule wb_wait_for_completion sync_inodes_sb iterate_supers ksys_sync"},
	{LOCKS, "schedule schedule_preempt_disabled rwsem_down_write_slowpath down_write"},
};

static inline const struct trace_stack *test_stack(const void *context, uint32_t id)
{
	FIND_BY_ID(test_stacks, id);
}

#define MADE_UP	      100u /* stacks and tasks from this id on; so many */
#define MADE_UP_COUNT 12u

/* "schedule made_up_100" and so on, as many as MADE_UP_COUNT. */
static inline const struct trace_stack *made_up_stack(uint32_t id)
{
	static char functions[MADE_UP_COUNT][32];
	static struct trace_stack stacks[MADE_UP_COUNT];
	struct trace_stack *stack = &stacks[id - MADE_UP];

	snprintf(functions[id - MADE_UP], sizeof(functions[0]), "schedule made_up_%u", id);
	*stack = (struct trace_stack){.id = id, .functions = functions[id - MADE_UP]};
	return stack;
}

static inline bool is_made_up(uint32_t id)
{
	return id >= MADE_UP && id < MADE_UP + MADE_UP_COUNT;
}

static inline const struct trace_stack *any_stack(const void *context, uint32_t id)
{
	return is_made_up(id) ? made_up_stack(id) : test_stack(context, id);
}

static inline const struct trace_task *any_task(const void *context, uint32_t id)
{
	static struct trace_task tasks[MADE_UP_COUNT];
	struct trace_task *task;

	if (!is_made_up(id))
		return test_task(context, id);
	task = &tasks[id - MADE_UP];
	*task = (struct trace_task){.id = id, .pid = id, .tgid = id};
	snprintf(task->comm, sizeof(task->comm), "task_%u", id);
	return task;
}

static const struct explain_tables tables_with_stacks = {NULL,	    test_device, any_task,
							 test_file, test_cgroup, any_stack};

static inline struct explainer *new_explainer(void)
{
	struct explainer *e = explainer__new(&tables_with_stacks, NULL, 0);

	if (!e)
		abort();
	return e;
}

/* A read by task 1 with these times in us after START_NS. `inserted`: a scheduler held it. */
static inline struct io_row io(uint64_t created, bool inserted, uint64_t issued, uint64_t completed)
{
	struct io_row row = {
		.created_ns = START_NS + created * US,
		.issued_ns = START_NS + issued * US,
		.completed_ns = START_NS + completed * US,
		.inserted_ns = inserted ? START_NS + created * US : 0,
		.bytes = 4096,
		.device = 1,
		.task = 1,
		.op = IO_OP_READ,
		.origin = IO_ORIGIN_DIRECT,
	};

	return row;
}

/* A read of [0, 1000) us by task 1 that slept from 100 to 900 us, ran for 150 us, and waited for a CPU for 50. */
static inline void add_call(struct explainer *e, uint32_t stack, uint64_t slept_us)
{
	struct wait_row sleep = {.what = WAIT_SLEEP,
				 .call = WAIT_CALL_READ,
				 .time_ns = START_NS + 100 * US,
				 .duration_ns = slept_us * US,
				 .run_queue_ns = 50 * US,
				 .call_ns = START_NS,
				 .task = 1,
				 .stack = stack};
	struct wait_row call = {.what = WAIT_CALL,
				.call = WAIT_CALL_READ,
				.time_ns = START_NS,
				.duration_ns = 1000 * US,
				.run_queue_ns = 50 * US,
				.cpu_ns = 150 * US,
				.sleep_ns = 800 * US,
				.call_ns = START_NS,
				.count = 1,
				.task = 1,
				.file = 1};
	struct wait_row task = {.what = WAIT_TASK,
				.time_ns = START_NS + 2000 * US,
				.duration_ns = 2000 * US,
				.cpu_ns = 400 * US,
				.run_queue_ns = 100 * US,
				.sleep_ns = 1500 * US,
				.task = 1};

	if (slept_us)
		CHECK(!explainer__add_wait(e, &sleep));
	CHECK(!explainer__add_wait(e, &call));
	CHECK(!explainer__add_wait(e, &task));
}

/* A task of wall_ns: a call of fsync for file 1 first runs for cpu_ns, then sleeps for slept_ns. */
static inline void add_sync(struct explainer *e, uint32_t id, uint64_t cpu_ns, uint64_t slept_ns,
			    uint64_t wall_ns)
{
	struct wait_row sleep = {.what = WAIT_SLEEP,
				 .call = WAIT_CALL_FSYNC,
				 .time_ns = START_NS + cpu_ns,
				 .duration_ns = slept_ns,
				 .call_ns = START_NS,
				 .task = id,
				 .stack = SYNCS};
	struct wait_row call = {.what = WAIT_CALL,
				.call = WAIT_CALL_FSYNC,
				.time_ns = START_NS,
				.duration_ns = cpu_ns + slept_ns,
				.cpu_ns = cpu_ns,
				.sleep_ns = slept_ns,
				.call_ns = START_NS,
				.count = 1,
				.task = id,
				.file = 1};
	struct wait_row task = {.what = WAIT_TASK,
				.time_ns = START_NS + wall_ns,
				.duration_ns = wall_ns,
				.cpu_ns = cpu_ns,
				.sleep_ns = wall_ns - cpu_ns,
				.task = id};

	CHECK(!explainer__add_wait(e, &sleep));
	CHECK(!explainer__add_wait(e, &call));
	CHECK(!explainer__add_wait(e, &task));
}

/* A read that is asleep all the time; file 0: of another device. */
static inline void call_asleep(struct explainer *e, uint64_t from_us, uint64_t us, uint32_t stack,
			       uint32_t file)
{
	struct wait_row row = {.what = WAIT_SLEEP,
			       .call = WAIT_CALL_READ,
			       .time_ns = START_NS + from_us * US,
			       .duration_ns = us * US,
			       .call_ns = START_NS + from_us * US,
			       .task = 1,
			       .stack = stack};

	CHECK(!explainer__add_wait(e, &row));
	row.what = WAIT_CALL;
	row.sleep_ns = row.duration_ns;
	row.count = 1;
	row.stack = 0;
	row.file = file;
	CHECK(!explainer__add_wait(e, &row));
}

#endif
