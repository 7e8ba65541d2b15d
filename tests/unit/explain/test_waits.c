// SPDX-License-Identifier: MIT
/* What tasks waited for: causes of stacks, and sleeps divided by the IO that ended them. */
#include "explain/figures/wait_account.h"
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

static const struct trace_stack *test_stack(const void *context, uint32_t id)
{
	FIND_BY_ID(test_stacks, id);
}

#define MADE_UP	      100u /* stacks and tasks from this id on; so many */
#define MADE_UP_COUNT 12u

/* "schedule made_up_100" and so on, as many as MADE_UP_COUNT. */
static const struct trace_stack *made_up_stack(uint32_t id)
{
	static char functions[MADE_UP_COUNT][32];
	static struct trace_stack stacks[MADE_UP_COUNT];
	struct trace_stack *stack = &stacks[id - MADE_UP];

	snprintf(functions[id - MADE_UP], sizeof(functions[0]), "schedule made_up_%u", id);
	*stack = (struct trace_stack){.id = id, .functions = functions[id - MADE_UP]};
	return stack;
}

static bool is_made_up(uint32_t id)
{
	return id >= MADE_UP && id < MADE_UP + MADE_UP_COUNT;
}

static const struct trace_stack *any_stack(const void *context, uint32_t id)
{
	return is_made_up(id) ? made_up_stack(id) : test_stack(context, id);
}

static const struct trace_task *any_task(const void *context, uint32_t id)
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

static struct explainer *new_explainer(void)
{
	struct explainer *e = explainer__new(&tables_with_stacks, NULL, 0);

	if (!e)
		abort();
	return e;
}

/* A read by task 1 with these times in us after START_NS. `inserted`: a scheduler held it. */
static struct io_row io(uint64_t created, bool inserted, uint64_t issued, uint64_t completed)
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
static void add_call(struct explainer *e, uint32_t stack, uint64_t slept_us)
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

/* us of a cause in the whole trace, after one call with this stack beside this IO. */
static uint64_t cause_us(const struct io_row *row, uint32_t stack, enum wait_cause cause)
{
	struct explainer *e = new_explainer();
	struct explanation *x;
	uint64_t us;

	if (row)
		CHECK(!explainer__add_io(e, row));
	add_call(e, stack, 800);
	x = test_finish(e, 10 * MS);
	us = x->waits.causes[cause].ns / US;
	CHECK_EQ(x->waits.unaccounted_ns, 0);
	explanation__free(x);
	return us;
}

static void an_own_io_is_divided_into_its_parts(void)
{
	struct io_row row = io(50, true, 400, 890);

	CHECK_EQ(cause_us(&row, READS_DIRECT, CAUSE_SCHEDULER), 300);
	CHECK_EQ(cause_us(&row, READS_DIRECT, CAUSE_DEVICE), 500);
	row = io(50, false, 400, 890);
	CHECK_EQ(cause_us(&row, READS_DIRECT, CAUSE_DEVICE), 800);
	/* Held back before it became a request, and sent on by a kernel thread. */
	row = io(700, false, 710, 890);
	row.task = 4;
	CHECK_EQ(cause_us(&row, READS_DIRECT, CAUSE_CGROUP_LIMIT), 600);
	CHECK_EQ(cause_us(&row, READS_DIRECT, CAUSE_DEVICE), 200);
}

static void an_io_of_another_process_ends_no_sleep(void)
{
	struct io_row row = io(50, true, 400, 890);

	row.task = 3;
	CHECK_EQ(cause_us(&row, READS_DIRECT, CAUSE_SCHEDULER), 0);
	CHECK_EQ(cause_us(&row, READS_DIRECT, CAUSE_DEVICE), 800);
	/* Another thread of the process may have submitted it. */
	row.task = 2;
	CHECK_EQ(cause_us(&row, READS_DIRECT, CAUSE_SCHEDULER), 300);
}

/* A task that writes behind its own back does not read with that. */
static void a_write_ends_no_sleep_of_a_read(void)
{
	struct io_row row = io(50, true, 400, 890);

	row.op = IO_OP_WRITE;
	CHECK_EQ(cause_us(&row, READS_DIRECT, CAUSE_SCHEDULER), 0);
	CHECK_EQ(cause_us(&row, READS_DIRECT, CAUSE_DEVICE), 800);
}

static void what_the_kernel_does_for_itself_ends_no_sleep(void)
{
	struct io_row held = io(700, false, 710, 890), own_of_kernel = io(860, false, 870, 900);
	struct explainer *e = new_explainer();
	struct explanation *x;

	held.task = 4;
	own_of_kernel.task = 4;
	own_of_kernel.op = IO_OP_WRITE;
	own_of_kernel.origin = IO_ORIGIN_UNKNOWN;
	CHECK(!explainer__add_io(e, &held));
	CHECK(!explainer__add_io(e, &own_of_kernel));
	/* Nor does the next read of the task, which begins after it. */
	held = io(905, false, 910, 940);
	CHECK(!explainer__add_io(e, &held));
	add_call(e, READS_DIRECT, 800);
	x = test_finish(e, 10 * MS);
	CHECK_EQ(x->waits.causes[CAUSE_CGROUP_LIMIT].ns, 600 * US);
	CHECK_EQ(x->waits.causes[CAUSE_DEVICE].ns, 200 * US);
	explanation__free(x);
}

/* Two layers: the bio of dm-0 completes after the request below, which was held by a scheduler. */
static void a_turn_in_the_scheduler_below_a_stacked_device_counts(void)
{
	static const struct {
		uint64_t parent;
		uint32_t task;
		uint64_t scheduler_us;
	} below[] = {{7, 1, 300}, {7, 4, 300}, {6, 1, 300}, {6, 4, 0}, {0, 1, 0}};

	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
		struct io_row above = io(50, false, 50, 890), row = io(60, true, 400, 885);
		struct explainer *e = new_explainer();
		struct explanation *x;

		above.device = 3;
		above.id = 7;
		row.id = 8;
		row.parent_id = below[i].parent;
		row.task = below[i].task;
		CHECK(!explainer__add_io(e, &row));
		CHECK(!explainer__add_io(e, &above));
		add_call(e, READS_DIRECT, 800);
		x = test_finish(e, 10 * MS);
		CHECK_EQ(x->waits.causes[CAUSE_SCHEDULER].ns, below[i].scheduler_us * US);
		CHECK_EQ(x->waits.causes[CAUSE_DEVICE].ns, (800 - below[i].scheduler_us) * US);
		explanation__free(x);
	}
}

/* explain -d: what was waited in a read by dm-0 that sda carried out. */
static uint64_t waited_for_device_us(const char *device)
{
	const char *const chosen[] = {device};
	struct explainer *e = explainer__new(&tables_with_stacks, chosen, 1);
	struct io_row above = io(50, false, 50, 890), below = io(60, true, 400, 885);
	struct explanation *x;
	uint64_t us;

	if (!e)
		abort();
	above.device = 3;
	above.id = 7;
	below.id = 8;
	below.parent_id = 7;
	CHECK(!explainer__add_io(e, &below));
	CHECK(!explainer__add_io(e, &above));
	add_call(e, READS_DIRECT, 800);
	x = test_finish(e, 10 * MS);
	us = (x->waits.causes[CAUSE_SCHEDULER].ns + x->waits.causes[CAUSE_DEVICE].ns) / US;
	explanation__free(x);
	return us;
}

static void a_wait_for_a_stacked_device_is_one_for_the_device_below(void)
{
	CHECK_EQ(waited_for_device_us("dm-0"), 800);
	CHECK_EQ(waited_for_device_us("sda"), 800);
	CHECK_EQ(waited_for_device_us("sdb"), 0);
}

/* A read that a limit held back beside one of another thread, both completed near the end of the sleep. */
static void an_io_of_another_thread_hides_no_limit(void)
{
	struct io_row held = io(700, false, 710, 880), of_other = io(50, false, 60, 890);
	struct explainer *e = new_explainer();
	struct explanation *x;

	held.task = 4;
	of_other.task = 2;
	CHECK(!explainer__add_io(e, &held));
	CHECK(!explainer__add_io(e, &of_other));
	add_call(e, READS_DIRECT, 800);
	x = test_finish(e, 10 * MS);
	CHECK_EQ(x->waits.causes[CAUSE_CGROUP_LIMIT].ns, 600 * US);
	CHECK_EQ(x->waits.causes[CAUSE_DEVICE].ns, 200 * US);
	explanation__free(x);
}

static void an_io_of_the_task_goes_before_one_of_another_thread(void)
{
	struct io_row own = io(50, true, 400, 880), of_other = io(50, true, 200, 890);
	struct explainer *e = new_explainer();
	struct explanation *x;

	of_other.task = 2;
	CHECK(!explainer__add_io(e, &own));
	CHECK(!explainer__add_io(e, &of_other));
	add_call(e, READS_DIRECT, 800);
	x = test_finish(e, 10 * MS);
	CHECK_EQ(x->waits.causes[CAUSE_SCHEDULER].ns, 300 * US);
	explanation__free(x);
}

static void a_page_is_read_now_or_was_on_its_way_or_is_locked(void)
{
	struct io_row row = io(50, false, 60, 890);

	row.origin = IO_ORIGIN_FILE;
	row.file = 1;
	CHECK_EQ(cause_us(&row, READS_PAGE, CAUSE_PAGE_READ), 800);
	row.created_ns = START_NS - US;
	CHECK_EQ(cause_us(&row, READS_PAGE, CAUSE_READAHEAD_IN_FLIGHT), 800);
	row = io(50, false, 60, 890);
	row.origin = IO_ORIGIN_FILE;
	row.file = 1;
	row.task = 3;
	CHECK_EQ(cause_us(&row, READS_PAGE, CAUSE_READAHEAD_IN_FLIGHT), 800);
	CHECK_EQ(cause_us(NULL, READS_PAGE, CAUSE_PAGE_LOCK), 800);
}

static uint32_t without_file_waker;
static uint64_t without_file_us[CAUSE_COUNT]; /* after the last call of tasks_after() */

/* A call without a file, in which the task slept. */
static void add_call_without_file(struct explainer *e, uint8_t kind, uint32_t stack)
{
	struct wait_row sleep = {.what = WAIT_SLEEP,
				 .call = kind,
				 .time_ns = START_NS + 100 * US,
				 .duration_ns = 800 * US,
				 .call_ns = START_NS,
				 .task = 1,
				 .waker = without_file_waker,
				 .stack = stack};
	struct wait_row call = {.what = WAIT_CALL,
				.call = kind,
				.time_ns = START_NS,
				.duration_ns = 1000 * US,
				.cpu_ns = 200 * US,
				.sleep_ns = 800 * US,
				.call_ns = START_NS,
				.count = 1,
				.task = 1};

	if (kind == WAIT_CALL_NONE)
		sleep.call_ns = 0;
	CHECK(!explainer__add_wait(e, &sleep));
	if (kind != WAIT_CALL_NONE)
		CHECK(!explainer__add_wait(e, &call));
}

/* The number of tasks that waited here, after such a call beside this IO. */
static uint32_t tasks_after(uint8_t kind, uint32_t stack, const struct io_row *row)
{
	struct explainer *e = new_explainer();
	struct explanation *x;
	uint32_t count;

	if (row)
		CHECK(!explainer__add_io(e, row));
	add_call_without_file(e, kind, stack);
	x = test_finish(e, 10 * MS);
	count = x->waits.task_count;
	for (enum wait_cause cause = 0; cause < CAUSE_COUNT; cause++)
		without_file_us[cause] = x->waits.causes[cause].ns / US;
	explanation__free(x);
	return count;
}

static void a_swapped_page_is_read(void)
{
	struct io_row row = io(50, false, 60, 890);

	row.origin = IO_ORIGIN_SWAP;
	row.flags = IO_SWAP;
	CHECK_EQ(tasks_after(WAIT_CALL_NONE, READS_SWAP, &row), 1);
	CHECK_EQ(cause_us(&row, READS_SWAP, CAUSE_PAGE_READ), 800);
	CHECK_EQ(cause_us(&row, READS_DIRECT, CAUSE_PAGE_READ), 0);
	/* The page is not in the swap cache while it is read. */
	row.origin = IO_ORIGIN_DIRECT;
	CHECK_EQ(cause_us(&row, READS_SWAP, CAUSE_PAGE_READ), 800);
	row.task = 3;
	CHECK_EQ(tasks_after(WAIT_CALL_NONE, READS_SWAP, &row), 0);
}

static void a_read_through_the_cache_ends_a_sleep_in_io_uring(void)
{
	struct io_row row = io(150, false, 160, 890);

	row.origin = IO_ORIGIN_FILE;
	row.file = 1;
	row.task = 2;
	CHECK_EQ(tasks_after(WAIT_CALL_AIO_WAIT, READS_URING, &row), 0);
	CHECK_EQ(tasks_after(WAIT_CALL_IO_URING, READS_URING, &row), 1);
	CHECK_EQ(without_file_us[CAUSE_PAGE_READ], 750);
	CHECK_EQ(without_file_us[CAUSE_DEVICE], 0);
	row.op = IO_OP_WRITE;
	CHECK_EQ(tasks_after(WAIT_CALL_IO_URING, READS_URING, &row), 0);
	row.op = IO_OP_READ;
	row.task = 3;
	CHECK_EQ(tasks_after(WAIT_CALL_IO_URING, READS_URING, &row), 0);
}

/* No file tells where the commit is: a device that wrote meanwhile. */
static void a_worker_of_io_uring_waits_for_a_commit(void)
{
	struct io_row row = io(50, false, 60, 890);

	row.task = 4;
	CHECK_EQ(tasks_after(WAIT_CALL_NONE, SYNCS_IN_WORKER, NULL), 0);
	CHECK_EQ(tasks_after(WAIT_CALL_NONE, SYNCS_IN_WORKER, &row), 0);
	row.op = IO_OP_WRITE;
	CHECK_EQ(tasks_after(WAIT_CALL_NONE, SYNCS_IN_WORKER, &row), 1);
	CHECK_EQ(without_file_us[CAUSE_JOURNAL], 800);
}

static void other_causes_are_named_by_their_functions(void)
{
	struct explainer *e = new_explainer();
	struct explanation *x;

	CHECK_EQ(cause_us(NULL, SYNCS, CAUSE_JOURNAL), 800);
	add_call(e, LOCKS, 800);
	x = test_finish(e, 10 * MS);
	CHECK_EQ(x->waits.causes[CAUSE_OTHER].ns, 800 * US);
	REQUIRE(x->waits.other_count == 1);
	CHECK_TEXT(x->waits.others[0].function, "rwsem_down_write_slowpath");
	explanation__free(x);
	/* The limit counts, not what was about to be done. */
	CHECK_EQ(wait_cause_of_stack("io_schedule rq_qos_wait wbt_wait submit_bio ext4_sync_file"),
		 CAUSE_WBT);
	CHECK_EQ(wait_cause_of_stack("folio_wait_writeback shrink_folio_list try_to_free_pages"),
		 CAUSE_RECLAIM);
	CHECK_EQ(wait_cause_of_stack("submit_bio_wait blkdev_issue_flush blkdev_fsync"),
		 CAUSE_FLUSH);
	CHECK_EQ(wait_cause_of_stack(""), CAUSE_OTHER);
}

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

static void waits_for_another_device_are_left_out(void)
{
	struct io_row row = io(50, false, 60, 890);

	/* truncate(2) and fsync(2) of a file that is elsewhere. */
	CHECK_EQ(tasks_after(WAIT_CALL_TRUNCATE, SYNCS, NULL), 0);
	CHECK_EQ(tasks_after(WAIT_CALL_NONE, SYNCS, NULL), 0);
	/* sync(2) waits for the recorded device, too, if that writes meanwhile. */
	CHECK_EQ(tasks_after(WAIT_CALL_SYNC, SYNCS_ALL, NULL), 0);
	CHECK_EQ(tasks_after(WAIT_CALL_SYNC, SYNCS_ALL, &row), 0);
	row.op = IO_OP_WRITE;
	row.task = 4;
	CHECK_EQ(tasks_after(WAIT_CALL_SYNC, SYNCS_ALL, &row), 1);
}

/* Of a call for completions: what the request was for is ended by a worker, after the request. */
static void a_worker_ends_a_sleep_after_the_request(void)
{
	struct io_row row = io(10, false, 20, 50);

	row.op = IO_OP_WRITE;
	CHECK_EQ(tasks_after(WAIT_CALL_IO_URING, READS_DIRECT, &row), 0);
	without_file_waker = 4;
	CHECK_EQ(tasks_after(WAIT_CALL_IO_URING, READS_DIRECT, &row), 1);
	CHECK_EQ(tasks_after(WAIT_CALL_IO_URING, READS_DIRECT, NULL), 0);
	without_file_waker = 0;
}

/* A sleep of [0, 500) ms of task 1 in io_getevents, beside an IO of another thread in its process. */
static struct explanation *collect(uint64_t created_us, uint64_t completed_us)
{
	struct io_row row = io(created_us, false, created_us, completed_us);
	struct wait_row sleep = {.what = WAIT_SLEEP,
				 .call = WAIT_CALL_AIO_WAIT,
				 .time_ns = START_NS,
				 .duration_ns = 500 * MS,
				 .call_ns = START_NS,
				 .task = 1,
				 .stack = COLLECTS};
	struct wait_row call = {.what = WAIT_CALL,
				.call = WAIT_CALL_AIO_WAIT,
				.time_ns = START_NS,
				.duration_ns = 500 * MS,
				.sleep_ns = 500 * MS,
				.call_ns = START_NS,
				.count = 1,
				.task = 1};
	struct wait_row task = {.what = WAIT_TASK,
				.time_ns = START_NS + 500 * MS,
				.duration_ns = 500 * MS,
				.sleep_ns = 500 * MS,
				.task = 1};
	struct explainer *e = new_explainer();

	row.task = 2;
	CHECK(!explainer__add_io(e, &row));
	CHECK(!explainer__add_wait(e, &sleep));
	CHECK(!explainer__add_wait(e, &call));
	CHECK(!explainer__add_wait(e, &task));
	return test_finish(e, 600 * MS);
}

/* A thread that collects completions sleeps for the device since its IO exists, and for it alone. */
static void idle_sleeps_for_completions_are_left_out(void)
{
	struct explanation *x = collect(1000, 1100);

	CHECK_EQ(x->waits.task_count, 0);
	explanation__free(x);
	x = collect(499700, 499990);
	REQUIRE(x->waits.task_count == 1);
	CHECK_EQ(x->waits.causes[CAUSE_DEVICE].ns, 300 * US);
	CHECK_EQ(x->waits.total_ns, 300 * US);
	CHECK_EQ(x->waits.unaccounted_ns, 0);
	CHECK_EQ(x->waits.tasks[0].outside_ns, 500 * MS - 300 * US);
	CHECK_EQ(x->waits.tasks[0].calls[0].ns, 300 * US);
	REQUIRE(x->waits.worst_count == 1);
	CHECK_EQ(x->waits.worst[0].duration_ns, 300 * US);
	explanation__free(x);
	x = collect(0, 499990);
	CHECK_EQ(x->waits.causes[CAUSE_DEVICE].ns, 500 * MS);
	explanation__free(x);
}

/* A read that is asleep all the time; file 0: of another device. */
static void call_asleep(struct explainer *e, uint64_t from_us, uint64_t us, uint32_t stack,
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
	RUN(an_own_io_is_divided_into_its_parts);
	RUN(an_io_of_another_process_ends_no_sleep);
	RUN(a_write_ends_no_sleep_of_a_read);
	RUN(what_the_kernel_does_for_itself_ends_no_sleep);
	RUN(a_turn_in_the_scheduler_below_a_stacked_device_counts);
	RUN(a_wait_for_a_stacked_device_is_one_for_the_device_below);
	RUN(an_io_of_another_thread_hides_no_limit);
	RUN(an_io_of_the_task_goes_before_one_of_another_thread);
	RUN(idle_sleeps_for_completions_are_left_out);
	RUN(a_page_is_read_now_or_was_on_its_way_or_is_locked);
	RUN(a_swapped_page_is_read);
	RUN(a_read_through_the_cache_ends_a_sleep_in_io_uring);
	RUN(a_worker_of_io_uring_waits_for_a_commit);
	RUN(other_causes_are_named_by_their_functions);
	RUN(waits_for_another_device_are_left_out);
	RUN(a_worker_ends_a_sleep_after_the_request);
	RUN(times_add_up_and_lost_sleeps_are_told);
	RUN(the_rest_of_a_task_is_unaccounted);
	RUN(a_sleep_that_comes_after_its_call_is_of_it);
	RUN(faults_may_come_in_any_order);
	RUN(of_a_call_that_was_cut_the_longest_row_counts);
	RUN(a_call_that_began_in_an_earlier_file_has_its_part_here);
	RUN(the_culprits_are_those_with_most_time);
	RUN(the_functions_of_other_waits_are_those_with_most_time);
	RUN(a_task_elsewhere_adds_to_no_total);
	return TEST_RESULT;
}
