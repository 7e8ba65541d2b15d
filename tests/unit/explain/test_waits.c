// SPDX-License-Identifier: MIT
/* What tasks waited for: causes of stacks, and sleeps divided by the IO that ended them. */
#include "explain/waits/account.h"
#include "unit/explain/made_waits.h"

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

/* 50 ms in a read of file 1, beside a read of a page by this task. */
static uint64_t page_read_beside_us(uint32_t task, uint32_t file, enum io_origin origin,
				    uint64_t completed_us)
{
	struct io_row row = io(100, false, 110, completed_us);
	struct explainer *e = new_explainer();
	struct explanation *x;
	uint64_t us;

	row.origin = origin;
	row.file = file;
	row.task = task;
	CHECK(!explainer__add_io(e, &row));
	call_asleep(e, 0, 50000, READS_PAGE, 1);
	x = test_finish(e, 100 * MS);
	us = x->waits.causes[CAUSE_PAGE_READ].ns / US;
	CHECK_EQ(x->waits.causes[CAUSE_PAGE_LOCK].ns / US + us, 50000);
	explanation__free(x);
	return us;
}

static void a_locked_page_is_not_the_page_that_another_thread_reads(void)
{
	CHECK_EQ(page_read_beside_us(2, 1, IO_ORIGIN_FILE, 30000), 50000);
	CHECK_EQ(page_read_beside_us(2, 4, IO_ORIGIN_FILE, 30000), 0);
	CHECK_EQ(page_read_beside_us(2, 4, IO_ORIGIN_FILE, 49990), 0);
	/* The buffer of the read can be mapped from another file. */
	CHECK_EQ(page_read_beside_us(1, 4, IO_ORIGIN_FILE, 30000), 0);
	CHECK_EQ(page_read_beside_us(1, 4, IO_ORIGIN_FILE, 49990), 50000);
	CHECK_EQ(page_read_beside_us(2, 3, IO_ORIGIN_BLOCKDEV, 30000), 0);
	CHECK_EQ(page_read_beside_us(2, 3, IO_ORIGIN_BLOCKDEV, 49990), 50000);
}

/* Without --files a call begins with its first sleep: what is read was created since the sleep before, if any. */
static void a_page_was_asked_for_before_the_first_sleep(void)
{
	for (uint64_t woken_us = 10; woken_us <= 70; woken_us += 60) {
		struct io_row row = io(50, false, 60, 890);
		struct explainer *e = new_explainer();
		struct explanation *x;

		row.origin = IO_ORIGIN_FILE;
		row.file = 1;
		CHECK(!explainer__add_io(e, &row));
		call_asleep(e, 0, woken_us, LOCKS, 1);
		call_asleep(e, 100, 800, READS_PAGE, 1);
		x = test_finish(e, 10 * MS);
		CHECK_EQ(x->waits.causes[CAUSE_PAGE_READ].ns, woken_us < 50 ? 800 * US : 0);
		CHECK_EQ(x->waits.causes[CAUSE_READAHEAD_IN_FLIGHT].ns,
			 woken_us < 50 ? 0 : 800 * US);
		explanation__free(x);
	}
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
	/* ext2, FAT, ext4 without a journal; the metadata of xfs. */
	CHECK_EQ(wait_cause_of_stack("io_schedule bit_wait_io __wait_on_buffer __sync_dirty_buffer "
				     "fat_write_inode fat_file_fsync do_fsync"),
		 CAUSE_WRITEBACK_OF_PAGE);
	CHECK_EQ(wait_cause_of_stack("bit_wait_io __wait_on_buffer fsync_buffers_list do_fsync"),
		 CAUSE_WRITEBACK_OF_PAGE);
	CHECK_EQ(wait_cause_of_stack("schedule_timeout __down xfs_buf_iowait xfs_buf_read_map"),
		 CAUSE_OF_IO);
	CHECK_EQ(wait_cause_of_stack(""), CAUSE_OTHER);
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

/* us of the journal in rename(2) of a task that uses recorded files, too. */
static uint64_t renamed_us(const struct io_row *row)
{
	struct explainer *e = new_explainer();
	struct explanation *x;
	uint64_t us;

	if (row)
		CHECK(!explainer__add_io(e, row));
	add_call_without_file(e, WAIT_CALL_NAME, SYNCS);
	call_asleep(e, 2000, 10, LOCKS, 1);
	x = test_finish(e, 10 * MS);
	us = x->waits.causes[CAUSE_JOURNAL].ns / US;
	explanation__free(x);
	return us;
}

static void a_commit_for_a_rename_is_of_a_device_that_wrote(void)
{
	struct io_row row = io(150, false, 160, 890);

	CHECK_EQ(renamed_us(NULL), 0);
	CHECK_EQ(renamed_us(&row), 0);
	row.op = IO_OP_WRITE;
	CHECK_EQ(renamed_us(&row), 800);
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
	RUN(a_locked_page_is_not_the_page_that_another_thread_reads);
	RUN(a_page_was_asked_for_before_the_first_sleep);
	RUN(a_swapped_page_is_read);
	RUN(a_read_through_the_cache_ends_a_sleep_in_io_uring);
	RUN(a_worker_of_io_uring_waits_for_a_commit);
	RUN(other_causes_are_named_by_their_functions);
	RUN(waits_for_another_device_are_left_out);
	RUN(a_commit_for_a_rename_is_of_a_device_that_wrote);
	RUN(a_worker_ends_a_sleep_after_the_request);
	return TEST_RESULT;
}
