// SPDX-License-Identifier: MIT
/* Who made whom wait: rows whose blame is known by hand, and mixes of tasks on a simulated FIFO device. */
#include "explain/figures/blame_window.h"
#include "unit/explain/made_traces.h"

enum {
	READS_DIRECT = 1,
	SYNCS,
};

#define PARTIES 5u

static const struct trace_task parties[] = {
	{.id = 1, .pid = 100, .tgid = 100, .comm = "a"},
	{.id = 2, .pid = 200, .tgid = 200, .comm = "b"},
	{.id = 3, .pid = 300, .tgid = 300, .comm = "c"},
	{.id = 4, .pid = 400, .tgid = 400, .comm = "d"},
	{.id = 5, .pid = 500, .tgid = 500, .comm = "e"},
	{.id = 6, .pid = 30, .tgid = 30, .comm = "kworker/u4:1", .kernel_thread = true},
	{.id = 7, .pid = 31, .tgid = 31, .comm = "jbd2/sda1-8", .kernel_thread = true},
	{.id = 8, .pid = 101, .tgid = 100, .comm = "log_of_a"},
};

static const struct trace_stack stacks[] = {
	{READS_DIRECT, "schedule io_schedule __iomap_dio_rw iomap_dio_rw vfs_read"},
	{SYNCS, "schedule jbd2_log_wait_commit ext4_sync_file do_fsync"},
};

static const struct trace_task *party(const void *context, uint32_t id)
{
	FIND_BY_ID(parties, id);
}

static const struct trace_stack *stack_of(const void *context, uint32_t id)
{
	FIND_BY_ID(stacks, id);
}

static const struct trace_file files[] = {
	{.id = 1, .first_id = 1, .major = 8, .minor = 1, .inode = 11, .path = "/srv/a"},
	{.id = 2, .first_id = 2, .inode = 12, .path = "/srv/b"},
	{.id = 3, .first_id = 3, .kind = FILE_BLOCKDEV, .path = "/dev/sda"},
};

static const struct trace_file *file_of(const void *context, uint32_t id)
{
	FIND_BY_ID(files, id);
}

static const struct explain_tables tables = {NULL,    test_device, party,
					     file_of, test_cgroup, stack_of};

static struct explainer *new_explainer(void)
{
	struct explainer *e = explainer__new(&tables, NULL, 0);

	if (!e)
		abort();
	return e;
}

/* Times in us after START_NS. A direct read, of which `depth` requests are at the driver. */
static struct io_row read_of(uint32_t task, uint64_t created, uint64_t completed, uint32_t depth)
{
	return (struct io_row){
		.created_ns = START_NS + created * US,
		.issued_ns = START_NS + created * US,
		.completed_ns = START_NS + completed * US,
		.bytes = 4096,
		.device = 1,
		.task = task,
		.cgroup = 1,
		.depth = depth,
		.op = IO_OP_READ,
		.origin = IO_ORIGIN_DIRECT,
	};
}

/* A call in which the task slept all the time. */
static void add_sleep(struct explainer *e, uint32_t task, enum wait_call call, uint32_t stack,
		      uint64_t from, uint64_t to)
{
	struct wait_row row = {.what = WAIT_SLEEP,
			       .call = call,
			       .time_ns = START_NS + from * US,
			       .duration_ns = (to - from) * US,
			       .call_ns = START_NS + from * US,
			       .task = task,
			       .stack = stack};

	CHECK(!explainer__add_wait(e, &row));
	row.what = WAIT_CALL;
	row.sleep_ns = row.duration_ns;
	row.count = 1;
	row.file = task == 1 ? 1 : 2;
	CHECK(!explainer__add_wait(e, &row));
}

/* The read and the call that waits for it. */
static void add_read(struct explainer *e, uint32_t task, uint64_t created, uint64_t completed,
		     uint32_t depth)
{
	test_add(e, read_of(task, created, completed, depth));
	add_sleep(e, task, WAIT_CALL_READ, READS_DIRECT, created, completed);
}

static uint64_t blamed_ns(const struct explanation *x, enum explain_blame_by by, const char *victim,
			  const char *culprit)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < x->waits.blame_count; i++) {
		const struct explain_blame *pair = &x->waits.blame[i];

		if (pair->by == by && !strcmp(pair->victim, victim) &&
		    (!culprit || !strcmp(pair->culprit, culprit)))
			ns += pair->ns;
	}
	return ns;
}

static uint64_t blamed_us(const struct explanation *x, const char *victim, const char *culprit)
{
	return blamed_ns(x, BLAME_BY_TASK, victim, culprit) / US;
}

static void a_queue_is_divided_by_whose_turn_it_is(void)
{
	struct explainer *e = new_explainer();
	struct explanation *x;

	/* One server, in order: b 0-100, c 100-300, a 300-350; all wait from 0, a from 50. */
	add_read(e, 2, 0, 100, 1);
	add_read(e, 3, 0, 300, 2);
	add_read(e, 1, 50, 350, 3);
	x = test_finish(e, 10 * MS);
	CHECK_EQ(blamed_us(x, "a", "b"), 50);
	CHECK_EQ(blamed_us(x, "a", "c"), 200);
	CHECK_EQ(blamed_us(x, "a", "a"), 50);
	CHECK_EQ(blamed_us(x, "c", "b"), 100);
	CHECK_EQ(blamed_us(x, "c", "c"), 200);
	CHECK_EQ(blamed_us(x, "b", "b"), 100);
	CHECK_EQ(blamed_us(x, "b", NULL), 100);
	/* The worst wait is that of a or c: 300 us each. */
	CHECK_EQ(x->waits.worst[0].duration_ns, 300 * US);
	/* The file of a direct read is that of its call. */
	CHECK_EQ(blamed_ns(x, BLAME_BY_FILE, "/srv/a", "/srv/b"), 250 * US);
	CHECK_EQ(blamed_ns(x, BLAME_BY_CGROUP, "/db", "/db"), 700 * US);
	explanation__free(x);
}

static void threads_of_one_process_are_one_party(void)
{
	struct explainer *e = new_explainer();
	const struct explain_wait_task *task;
	struct explanation *x;

	add_read(e, 8, 0, 300, 1);
	add_read(e, 1, 0, 400, 2);
	x = test_finish(e, 10 * MS);
	CHECK_EQ(blamed_us(x, "a", "a"), 400);
	CHECK_EQ(blamed_us(x, "a", "log_of_a"), 0);
	REQUIRE(x->waits.task_count == 2);
	task = &x->waits.tasks[0];
	CHECK_EQ(task->calls[0].others_ns[CAUSE_DEVICE], 0);
	CHECK_EQ(task->calls[0].culprit_count, 0);
	CHECK_TEXT(x->waits.worst[0].culprit, "");
	explanation__free(x);
}

static void a_task_alone_blames_nobody(void)
{
	struct explainer *e = new_explainer();
	struct explanation *x;

	for (uint64_t i = 0; i < 100; i++)
		add_read(e, 1, i * 100, i * 100 + 60 + i % 30, 1);
	x = test_finish(e, 100 * MS);
	CHECK(blamed_us(x, "a", NULL) > 6000);
	CHECK_EQ(blamed_us(x, "a", NULL), blamed_us(x, "a", "a"));
	CHECK_EQ(x->waits.causes[CAUSE_DEVICE].ns, blamed_ns(x, BLAME_BY_TASK, "a", "a"));
	explanation__free(x);
}

/* Reads that are alone at the driver and take 100 us teach the service time. */
static void teach(struct explainer *e)
{
	for (uint64_t i = 0; i < 10; i++)
		test_add(e, read_of(1, i * 200, i * 200 + 100, 1));
}

static void a_device_that_serves_many_at_once_makes_nobody_wait(void)
{
	struct explainer *e = new_explainer();
	struct explanation *x;

	teach(e);
	for (uint64_t i = 0; i < 20; i++)
		test_add(e, read_of(4, 2100 + i * 10, 2200 + i * 10, i + 1));
	/* b is served beside a, and ends in the middle of it: a needs its 100 us in any case. */
	add_read(e, 2, 2950, 3050, 1);
	add_read(e, 1, 3000, 3100, 2);
	x = test_finish(e, 10 * MS);
	CHECK_EQ(blamed_us(x, "a", "b"), 0);
	CHECK_EQ(blamed_us(x, "a", "a"), 100);
	explanation__free(x);
}

static void what_is_served_beside_it_has_its_part(void)
{
	struct explainer *e = new_explainer();
	struct explanation *x;

	teach(e);
	/* Two large IOs of b are in service all the time: the device shares itself, a needs 100 of 700 us. */
	test_add(e, read_of(1, 3000, 3700, 3));
	add_sleep(e, 1, WAIT_CALL_READ, READS_DIRECT, 3000, 3700);
	test_add(e, read_of(2, 2900, 9000, 1));
	test_add(e, read_of(3, 2900, 9000, 2));
	x = test_finish(e, 10 * MS);
	CHECK_EQ(blamed_us(x, "a", "a"), 100);
	CHECK_EQ(blamed_us(x, "a", "b"), 300);
	CHECK_EQ(blamed_us(x, "a", "c"), 300);
	explanation__free(x);
}

static void the_turn_in_the_scheduler_is_divided_by_what_goes_before(void)
{
	struct explainer *e = new_explainer();
	struct explanation *x;
	uint64_t scheduler_ns = 0;
	struct io_row row;

	add_read(e, 2, 0, 400, 1);
	row = read_of(1, 100, 600, 1);
	row.inserted_ns = row.created_ns;
	row.issued_ns = START_NS + 450 * US;
	test_add(e, row);
	add_sleep(e, 1, WAIT_CALL_READ, READS_DIRECT, 100, 600);
	x = test_finish(e, 10 * MS);
	for (uint32_t i = 0; i < x->waits.blame_count; i++)
		if (x->waits.blame[i].by == BLAME_BY_TASK &&
		    x->waits.blame[i].where == BLAME_IN_SCHEDULER)
			scheduler_ns += x->waits.blame[i].ns;
	CHECK_EQ(scheduler_ns, 350 * US);
	CHECK_EQ(blamed_us(x, "a", "b"), 300);
	CHECK_EQ(blamed_us(x, "a", "a"), 200);
	explanation__free(x);
}

static void what_completes_together_shares_the_time_before(void)
{
	struct explainer *e = new_explainer();
	struct explanation *x;

	/* All are issued at 0, and complete within a tenth of the time. */
	add_read(e, 2, 0, 1000, 1);
	add_read(e, 1, 0, 1010, 2);
	add_read(e, 3, 0, 1020, 3);
	x = test_finish(e, 10 * MS);
	CHECK(blamed_us(x, "a", "b") >= 336 && blamed_us(x, "a", "b") <= 337);
	CHECK(blamed_us(x, "a", "c") >= 336 && blamed_us(x, "a", "c") <= 337);
	CHECK_EQ(blamed_us(x, "a", NULL), 1010);
	explanation__free(x);
}

/* Who made so many pages of file 2 dirty. */
struct wrote {
	uint32_t task;
	uint64_t pages;
};

/* The kernel writes 300 us of the pages of file 2, then 100 us of a commit's blocks, while a waits for a commit. */
static struct explanation *commit(const struct wrote *writers, uint32_t count)
{
	struct explainer *e = new_explainer();
	struct cache_row dirtied = {.time_ns = START_NS, .interval_ns = 1000, .file = 2};
	struct wait_row whole = {
		.what = WAIT_TASK, .time_ns = START_NS + 400 * US, .duration_ns = MS, .task = 1};
	const struct trace_tier waits = {"waits", "sched_switch", "bounded", ""};
	struct io_row row = read_of(6, 0, 300, 1);

	for (uint32_t i = 0; i < count; i++) {
		dirtied.task = writers[i].task;
		dirtied.dirtied_pages = writers[i].pages;
		CHECK(!explainer__add_cache(e, &dirtied));
	}
	row.op = IO_OP_WRITE;
	row.origin = IO_ORIGIN_FILE;
	row.file = 2;
	row.bytes = 1 << 20;
	test_add(e, row);
	row = read_of(7, 300, 400, 1);
	row.op = IO_OP_WRITE;
	row.origin = IO_ORIGIN_BLOCKDEV;
	row.file = 3;
	test_add(e, row);
	/* An IO of another thread, before, tells the control group of a. */
	row = read_of(8, 0, 0, 1);
	row.completed_ns -= US;
	row.issued_ns = row.created_ns = row.completed_ns - US;
	test_add(e, row);
	add_sleep(e, 1, WAIT_CALL_FSYNC, SYNCS, 0, 400);
	CHECK(!explainer__add_wait(e, &whole));
	CHECK(!explainer__add_tier(e, &waits));
	return test_finish(e, 10 * MS);
}

static void a_commit_is_of_those_who_wrote_what_is_written(void)
{
	static const struct wrote by_one[] = {{2, 256}}, by_two[] = {{2, 256}, {3, 256}};
	struct explanation *x = commit(by_one, 1);
	const struct explain_calls *calls;

	CHECK_EQ(blamed_us(x, "a", "b"), 300);
	CHECK_EQ(blamed_us(x, "a", "a"), 100);
	CHECK_EQ(blamed_ns(x, BLAME_BY_CGROUP, "/db", NULL), 400 * US);
	CHECK_EQ(x->waits.unnamed_ns, 0);
	REQUIRE(x->waits.worst_count == 1);
	CHECK_TEXT(x->waits.worst[0].culprit, "b");
	CHECK_EQ(x->waits.worst[0].culprit_bytes, 1 << 20);
	CHECK(x->waits.worst[0].culprit_wrote);
	/* The line of fsync has it, too: own and others' parts of the journal. */
	calls = &x->waits.tasks[0].calls[0];
	CHECK_EQ(calls->causes[CAUSE_JOURNAL].ns, 400 * US);
	CHECK_EQ(calls->others_ns[CAUSE_JOURNAL], 300 * US);
	REQUIRE(calls->culprit_count == 1);
	CHECK_TEXT(calls->culprits[0].name, "b");
	CHECK_EQ(calls->culprits[0].cause, CAUSE_JOURNAL);
	CHECK_EQ(calls->culprits[0].ns, 300 * US);
	CHECK(strstr(x->verdict, "a 100 called fsync 1 time and waited 400 us of "));
	CHECK(strstr(x->verdict, "75 % of that passed behind the IOs of others: b 300 us, "));
	explanation__free(x);
	/* Two programs wrote into the file: whose pages these are is not proven. */
	x = commit(by_two, 2);
	CHECK_EQ(blamed_us(x, "a", "b"), 0);
	CHECK_EQ(blamed_us(x, "a", "a"), 400);
	CHECK_EQ(x->waits.unnamed_ns, 300 * US);
	CHECK_TEXT(x->waits.worst[0].culprit, "");
	CHECK(strstr(x->verdict, "a 100 called fsync 1 time and waited 400 us of "));
	CHECK(!strstr(x->verdict, "of others"));
	explanation__free(x);
}

/* Each of five programs wrote a header; b wrote all the rest, before or after. */
static void pages_are_of_who_wrote_most_whoever_was_first(void)
{
	static const struct wrote writers[] = {{1, 1}, {3, 1}, {4, 1}, {2, 256}, {5, 1}, {2, 256}};

	for (uint32_t count = 4; count <= 6; count++) {
		struct explanation *x = commit(writers, count);

		CHECK_EQ(blamed_us(x, "a", "b"), 300);
		CHECK_EQ(x->waits.unnamed_ns, 0);
		explanation__free(x);
	}
}

/*
 * a waits 1000 us for a commit. The log is written from 100 to 250, from 200 to 300 and from 600 to 680 us, each time
 * 60 us after the write is created. d reads from 50 to 620 us. A direct write of c, from 700 to 800 us, is none.
 */
static void nobody_is_blamed_for_a_commit_that_writes_nothing(void)
{
	static const uint64_t times[][2] = {{100, 250}, {200, 300}, {600, 680}, {700, 800}};
	struct explainer *e = new_explainer();
	const struct explain_calls *calls;
	struct explanation *x;

	test_add(e, read_of(1, 0, 10, 1));
	for (uint32_t i = 0; i < 4; i++) {
		struct io_row row = read_of(7, times[i][0], times[i][1], 1);

		row.issued_ns += 60 * US;
		row.op = IO_OP_WRITE;
		row.origin = i < 3 ? IO_ORIGIN_UNKNOWN : IO_ORIGIN_DIRECT;
		row.task = i < 3 ? 7 : 3;
		test_add(e, row);
		if (i == 1)
			test_add(e, read_of(4, 50, 620, 1));
	}
	add_sleep(e, 1, WAIT_CALL_FSYNC, SYNCS, 0, 1000);
	x = test_finish(e, 10 * MS);
	/* From 300 us on d is in service, and from 600 to 620 the log waits for it. */
	CHECK_EQ(blamed_us(x, "a", "d"), 20);
	CHECK_EQ(blamed_us(x, "a", "c"), 0);
	CHECK_EQ(blamed_us(x, "a", "a"), 980);
	calls = &x->waits.tasks[0].calls[0];
	CHECK_EQ(calls->no_write_ns[CAUSE_JOURNAL], 1000 * US - 200 * US - 80 * US);
	explanation__free(x);
}

enum {
	USED_SDA = 1 << 0, /* the file system has read from it before */
	LOGS_ON_SDA = 1 << 1,
	READS_SDA = 1 << 2, /* another program does, meanwhile */
	LOGS_ON_SDB = 1 << 3,
};

/* us that a waits for e, which reads sdb all the time, and us for d, which reads sda, while a waits for the log. */
static void log_beside_another_disk(unsigned int what, uint64_t *for_e, uint64_t *for_d)
{
	struct explainer *e = new_explainer();
	struct explanation *x;
	struct io_row row;

	if (what & USED_SDA) {
		row = read_of(1, 0, 100, 1);
		row.origin = IO_ORIGIN_FILE;
		row.file = 1;
		test_add(e, row);
	}
	if (what & READS_SDA)
		test_add(e, read_of(4, 1000, 1100, 1));
	if (what & (LOGS_ON_SDA | LOGS_ON_SDB)) {
		row = read_of(6, 1000, what & LOGS_ON_SDA ? 1300 : 1395, 1);
		row.device = what & LOGS_ON_SDA ? 1 : 2;
		row.issued_ns += 100 * US;
		row.op = IO_OP_WRITE;
		row.origin = IO_ORIGIN_UNKNOWN;
		test_add(e, row);
	}
	row = read_of(5, 1000, 1390, 1);
	row.device = 2;
	test_add(e, row);
	add_sleep(e, 1, WAIT_CALL_FSYNC, SYNCS, 1000, 1400);
	x = test_finish(e, 10 * MS);
	*for_e = blamed_us(x, "a", "e");
	*for_d = blamed_us(x, "a", "d");
	CHECK_EQ(blamed_us(x, "a", NULL), 400);
	explanation__free(x);
}

/* Who writes the log and who wakes the task are workers, whose numbers differ. */
static void a_log_is_where_the_files_are(void)
{
	uint64_t for_e, for_d;

	log_beside_another_disk(USED_SDA | LOGS_ON_SDA | READS_SDA, &for_e, &for_d);
	CHECK_EQ(for_e, 0);
	CHECK_EQ(for_d, 100);
	log_beside_another_disk(USED_SDA, &for_e, &for_d);
	CHECK_EQ(for_e, 0);
	/* Where the files are is not known: nobody is blamed, unless one disk only had IOs. */
	log_beside_another_disk(LOGS_ON_SDA | READS_SDA, &for_e, &for_d);
	CHECK_EQ(for_e + for_d, 0);
	log_beside_another_disk(0, &for_e, &for_d);
	CHECK_EQ(for_e, 0);
	log_beside_another_disk(LOGS_ON_SDB, &for_e, &for_d);
	CHECK_EQ(for_e, 390);
}

/* us of rename(2) by a that are blamed on d, whose IO the device serves beside what the log's thread writes there. */
static uint64_t renamed_behind_d(uint32_t waker)
{
	struct explainer *e = new_explainer();
	struct wait_row row = {.what = WAIT_SLEEP,
			       .call = WAIT_CALL_NAME,
			       .time_ns = START_NS + 1000 * US,
			       .duration_ns = 400 * US,
			       .call_ns = START_NS + 1000 * US,
			       .task = 1,
			       .waker = waker,
			       .stack = SYNCS};
	struct explanation *x;
	struct io_row log;
	uint64_t us;

	add_read(e, 1, 0, 100, 1);
	test_add(e, read_of(4, 1000, 1100, 1));
	log = read_of(7, 1000, 1300, 1);
	log.issued_ns += 100 * US;
	log.op = IO_OP_WRITE;
	log.origin = IO_ORIGIN_UNKNOWN;
	test_add(e, log);
	CHECK(!explainer__add_wait(e, &row));
	row.what = WAIT_CALL;
	row.sleep_ns = row.duration_ns;
	row.count = 1;
	CHECK(!explainer__add_wait(e, &row));
	x = test_finish(e, 10 * MS);
	CHECK_EQ(x->waits.causes[CAUSE_JOURNAL].ns, 400 * US);
	us = blamed_us(x, "a", "d");
	explanation__free(x);
	return us;
}

/* Its file system is not known: who wakes it tells where the log is. */
static void without_a_file_the_log_is_where_its_waker_writes(void)
{
	CHECK_EQ(renamed_behind_d(0), 0);
	CHECK_EQ(renamed_behind_d(7), 100);
}

/* Mixes ----------------------------------------------------------------------------------------- */

#define READS_OF_PARTY 1000u

/* Reads one after the other, with a pause between them. */
struct load {
	uint64_t service, pause; /* us; a pause is of 0 to twice this */
	uint64_t seed;
	bool runs;
};

#define BYTES_PER_US 512u /* of the device: the service time of a read is that of its size */

struct simulated {
	uint32_t task;
	uint64_t created, completed, bytes;
	uint32_t depth;
};

static uint64_t draw(uint64_t *state, uint64_t below)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (*state >> 33) % below;
}

/* A server that takes one read at a time, in the order of arrival. Returns the number of reads. */
static uint32_t simulate(const struct load *loads, struct simulated *reads, uint64_t *waited)
{
	uint64_t due[PARTIES], states[PARTIES], free_at = 0;
	uint32_t left[PARTIES], count = 0;

	for (uint32_t i = 0; i < PARTIES; i++) {
		states[i] = loads[i].seed;
		due[i] = 7 * i;
		left[i] = loads[i].runs ? READS_OF_PARTY : 0;
		waited[i] = 0;
	}
	for (;;) {
		uint32_t next = PARTIES, depth = 1;
		uint64_t start;

		for (uint32_t i = 0; i < PARTIES; i++)
			if (left[i] && (next == PARTIES || due[i] < due[next]))
				next = i;
		if (next == PARTIES)
			return count;
		for (uint32_t i = count; i && count - i < PARTIES; i--)
			depth += reads[i - 1].completed > due[next];
		start = free_at > due[next] ? free_at : due[next];
		free_at = start + loads[next].service;
		reads[count++] = (struct simulated){next + 1, due[next], free_at,
						    loads[next].service * BYTES_PER_US, depth};
		waited[next] += free_at - due[next];
		due[next] = free_at + draw(&states[next], 2 * loads[next].pause + 1);
		left[next]--;
	}
}

static struct explanation *explain_reads(const struct simulated *reads, uint32_t count)
{
	struct explainer *e = new_explainer();

	for (uint32_t i = 0; i < count; i++) {
		const struct simulated *read = &reads[i];
		struct io_row row =
			read_of(read->task, read->created, read->completed, read->depth);

		row.bytes = read->bytes;
		test_add(e, row);
		add_sleep(e, read->task, WAIT_CALL_READ, READS_DIRECT, read->created,
			  read->completed);
	}
	return test_finish(e, 100 * NSEC_PER_SEC);
}

static bool is_within(uint64_t one, uint64_t other, uint64_t pct, uint64_t slack)
{
	uint64_t larger = one > other ? one : other, smaller = one > other ? other : one;

	return larger - smaller <= larger * pct / 100 + slack;
}

/* Counts pairs of culprits that blame and leaving them out put in the same order, for one victim. */
static void compare_order(const struct explanation *x, const struct load *loads, uint32_t victim,
			  uint64_t waited, uint32_t *same, uint32_t *pairs)
{
	static struct simulated reads[PARTIES * READS_OF_PARTY];
	uint64_t gained[PARTIES] = {0}, blamed[PARTIES] = {0};

	for (uint32_t i = 0; i < PARTIES; i++) {
		struct load without[PARTIES];
		uint64_t left[PARTIES];

		if (i == victim || !loads[i].runs)
			continue;
		memcpy(without, loads, sizeof(without));
		without[i].runs = false;
		simulate(without, reads, left);
		gained[i] = waited > left[victim] ? waited - left[victim] : 0;
		blamed[i] = blamed_us(x, parties[victim].comm, parties[i].comm);
	}
	for (uint32_t i = 0; i < PARTIES; i++)
		for (uint32_t k = i + 1; k < PARTIES; k++) {
			if (i == victim || k == victim || !loads[i].runs || !loads[k].runs ||
			    is_within(gained[i], gained[k], 10, 100))
				continue;
			(*pairs)++;
			*same += (gained[i] > gained[k]) == (blamed[i] > blamed[k]);
		}
}

static void blame_of_twenty_mixes_is_what_leaving_out_gains(void)
{
	static struct simulated reads[PARTIES * READS_OF_PARTY];
	uint64_t state = 23;
	uint32_t same = 0, pairs = 0;

	for (uint32_t mix = 0; mix < 20; mix++) {
		uint32_t tasks = 2 + mix % 4, count;
		struct load loads[PARTIES] = {0};
		uint64_t waited[PARTIES];
		struct explanation *x;

		for (uint32_t i = 0; i < tasks; i++)
			loads[i] = (struct load){20 + draw(&state, 400), draw(&state, 2000),
						 draw(&state, 1 << 30), true};
		count = simulate(loads, reads, waited);
		x = explain_reads(reads, count);
		for (uint32_t i = 0; i < tasks; i++) {
			const char *name = parties[i].comm;
			uint64_t all = blamed_us(x, name, NULL);
			uint64_t alone = READS_OF_PARTY * loads[i].service;

			CHECK_EQ(all, waited[i]);
			CHECK(is_within(all - blamed_us(x, name, name), waited[i] - alone, 5, 1));
			compare_order(x, loads, i, waited[i], &same, &pairs);
		}
		explanation__free(x);
	}
	CHECK(pairs > 50);
	CHECK(100 * same >= 95 * pairs);
	printf("# %u of %u pairs in the same order\n", same, pairs);
}

int main(void)
{
	RUN(a_queue_is_divided_by_whose_turn_it_is);
	RUN(threads_of_one_process_are_one_party);
	RUN(a_task_alone_blames_nobody);
	RUN(a_device_that_serves_many_at_once_makes_nobody_wait);
	RUN(what_is_served_beside_it_has_its_part);
	RUN(the_turn_in_the_scheduler_is_divided_by_what_goes_before);
	RUN(a_commit_is_of_those_who_wrote_what_is_written);
	RUN(nobody_is_blamed_for_a_commit_that_writes_nothing);
	RUN(pages_are_of_who_wrote_most_whoever_was_first);
	RUN(a_log_is_where_the_files_are);
	RUN(without_a_file_the_log_is_where_its_waker_writes);
	RUN(what_completes_together_shares_the_time_before);
	RUN(blame_of_twenty_mixes_is_what_leaving_out_gains);
	return TEST_RESULT;
}
