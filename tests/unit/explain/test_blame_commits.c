// SPDX-License-Identifier: MIT
/* Who made whom wait for what the kernel writes: commits of a journal, and writeback. */
#include "unit/explain/made_blame.h"

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
	CHECK(strstr(x->verdict,
		     "): 400 us (100.0 %) for the journal. Of the 400 us, 300 us (75 %) "
		     "passed behind the IOs of others: b 300 us, the journal."));
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
	const struct wait_row whole = {
		.what = WAIT_TASK, .time_ns = START_NS + MS, .duration_ns = MS, .task = 1};
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
	CHECK(!explainer__add_wait(e, &whole));
	x = test_finish(e, 10 * MS);
	/* From 300 us on d is in service, and from 600 to 620 the log waits for it. */
	CHECK_EQ(blamed_us(x, "a", "d"), 20);
	CHECK_EQ(blamed_us(x, "a", "c"), 0);
	CHECK_EQ(blamed_us(x, "a", "a"), 980);
	calls = &x->waits.tasks[0].calls[0];
	CHECK_EQ(calls->no_write_ns[CAUSE_JOURNAL], 1000 * US - 200 * US - 80 * US);
	CHECK(strstr(x->verdict,
		     "1 ms (100.0 %) for the journal. Of the 1 ms, 720 us (72 %) passed "
		     "while nothing was written."));
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

int main(void)
{
	RUN(a_commit_is_of_those_who_wrote_what_is_written);
	RUN(nobody_is_blamed_for_a_commit_that_writes_nothing);
	RUN(pages_are_of_who_wrote_most_whoever_was_first);
	RUN(a_log_is_where_the_files_are);
	RUN(without_a_file_the_log_is_where_its_waker_writes);
	return TEST_RESULT;
}
