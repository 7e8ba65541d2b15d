// SPDX-License-Identifier: MIT
/* Findings of a trace with rows of waits: each says the time that it could save, the largest first. */
#include "unit/explain/waiting.h"

static void the_finding_that_could_save_most_comes_first(void)
{
	struct explainer *e = new_explainer();
	struct explanation *x;

	add_limited(e);
	add_sleep(e, 3, WRITES_DIRTY, 0, 5000000);
	x = test_finish(e, 6000 * MS);
	REQUIRE(x->finding_count >= 2);
	CHECK_TEXT(x->findings[0].id, "limited-by-dirty-pages");
	CHECK_EQ(x->findings[0].saves_ns, 5000 * MS);
	CHECK_TEXT(x->findings[1].id, "limited-by-cgroup");
	explanation__free(x);
}

/* 400 reads that take long in the device, but nobody sleeps for them. */
static void an_advice_that_saves_nothing_says_so(void)
{
	struct explainer *e = new_explainer();
	const struct explain_finding *finding;
	struct explanation *x;

	for (uint64_t i = 0; i < 400; i++)
		test_add(e, test_read(START_NS + i * 1000 * US, i * 8000));
	add_sleep(e, 1, TAGS, 0, 5000);
	x = test_finish(e, 400 * MS);
	finding = test_finding(x, "device-dominates");
	REQUIRE(finding != NULL);
	CHECK(finding->is_weighed);
	CHECK_EQ(finding->saves_ns, 0);
	CHECK(strstr(finding->advice, "No task waited") != NULL);
	CHECK(test_finding(x, "limited-by-dirty-pages") == NULL);
	explanation__free(x);
}

/* As a program that sleeps in epoll until its IOs are complete. */
static void who_waits_elsewhere_may_gain(void)
{
	struct explainer *e = new_explainer();
	const struct explain_finding *finding;
	struct explanation *x;

	for (uint64_t i = 0; i < 400; i++)
		test_add(e, test_read(START_NS + i * 1000 * US, i * 8000));
	add_sleep(e, 3, TAGS, 0, 5000);
	x = test_finish(e, 400 * MS);
	finding = test_finding(x, "device-dominates");
	REQUIRE(finding != NULL);
	CHECK(!finding->is_weighed);
	CHECK(strstr(finding->advice, "No task waited") == NULL);
	explanation__free(x);
}

/* Requests that lie in a queue, below a device whose IOs tasks wait for. */
static void nothing_is_said_of_waits_below_another_device(void)
{
	for (uint64_t parent = 0; parent < 2; parent++) {
		struct explainer *e = new_explainer();
		const struct explain_finding *finding;
		struct explanation *x;

		for (uint64_t i = 0; i < 400; i++) {
			struct io_row row = test_read(START_NS + i * 1000 * US, i * 8000);

			row.issued_ns = row.created_ns + 300 * US;
			row.completed_ns = row.issued_ns + 50 * US;
			row.parent_id = parent;
			test_add(e, row);
		}
		add_sleep(e, 1, WRITES_DIRTY, 0, 5000);
		x = test_finish(e, 400 * MS);
		finding = test_finding(x, "queue-dominates");
		REQUIRE(finding != NULL);
		CHECK_EQ(finding->is_weighed, !parent);
		CHECK_EQ(strstr(finding->advice, "No task waited") != NULL, !parent);
		explanation__free(x);
	}
}

static void without_waits_nothing_is_weighed(void)
{
	struct explainer *e = new_explainer();
	const struct explain_finding *finding;
	struct explanation *x;

	for (uint64_t i = 0; i < 400; i++)
		test_add(e, test_read(START_NS + i * 1000 * US, i * 8000));
	x = test_finish(e, 400 * MS);
	finding = test_finding(x, "device-dominates");
	REQUIRE(finding != NULL);
	CHECK(!finding->is_weighed);
	CHECK(strstr(finding->advice, "Schedulers") != NULL);
	explanation__free(x);
}

/* A task that runs in its program, without a CPU for half of the time, and a short read. */
static void time_without_a_cpu_counts_outside_of_calls_too(void)
{
	struct wait_row task = {.what = WAIT_TASK,
				.time_ns = START_NS + 6000 * MS,
				.duration_ns = 6000 * MS,
				.cpu_ns = 2999 * MS,
				.run_queue_ns = 3000 * MS,
				.sleep_ns = 1 * MS,
				.task = 1};
	struct explainer *e = new_explainer();
	const struct explain_finding *finding;
	struct explanation *x;

	add_sleep(e, 1, READS_DIRECT, 0, 1000);
	CHECK(!explainer__add_wait(e, &task));
	x = test_finish(e, 6000 * MS);
	CHECK_EQ(x->waits.tasks[0].waited_ns, 3001 * MS);
	CHECK_EQ(x->waits.total_ns, 3001 * MS);
	finding = test_finding(x, "waits-for-cpu");
	REQUIRE(finding != NULL);
	CHECK_EQ(finding->saves_ns, 3000 * MS);
	CHECK(strstr(finding->evidence, "waited 3.00 s of 6.00 s") != NULL);
	explanation__free(x);
}

/* A read that ends after `us`, and its reader sleeps until then. */
static void add_read_of(struct explainer *e, uint32_t device, uint32_t task, uint64_t from,
			uint64_t us)
{
	struct io_row row = test_read(START_NS + from * US, from * 8000);

	row.origin = IO_ORIGIN_DIRECT;
	row.file = 0;
	row.device = device;
	row.task = task;
	row.completed_ns = row.created_ns + us * US;
	test_add(e, row);
	add_sleep(e, task, READS_DIRECT, from, us);
}

/* Two readers of sda at once, 400 ms in all; one of sdb, 16 s. */
static struct explainer *two_devices(const char *const *devices, uint32_t count)
{
	struct explainer *e = explainer__new(&tables, devices, count);

	if (!e)
		abort();
	for (uint64_t i = 0; i < 200; i++) {
		add_read_of(e, 1, 1, i * 100000, 1000);
		add_read_of(e, 1, 2, i * 100000, 1000);
		add_read_of(e, 2, 3, i * 100000 + 10, 80000);
	}
	return e;
}

static void a_finding_about_a_device_has_the_waits_for_it(void)
{
	struct explainer *e = two_devices(NULL, 0);
	const struct explain_finding *finding;
	struct explanation *x = test_finish(e, 25000 * MS);

	finding = test_finding(x, "storage-idle");
	REQUIRE(finding != NULL);
	CHECK(finding->is_weighed);
	/* Both readers wait at the same time: a faster device saves no more than it was busy. */
	CHECK_TEXT(finding->device, "sda");
	CHECK_EQ(finding->saves_ns, 200 * MS);
	finding = test_finding(x, "device-dominates");
	REQUIRE(finding != NULL);
	CHECK_TEXT(finding->device, "sdb");
	CHECK_EQ(finding->saves_ns, 16000 * MS);
	CHECK_TEXT(finding->saves_of, "fio");
	explanation__free(x);
}

/* Nothing tells on which of the devices a file lies whose flush was waited for. */
static void waits_for_a_device_that_is_not_known_weigh_no_finding_about_one(void)
{
	struct explainer *e = two_devices(NULL, 0);
	const struct explain_finding *finding;
	struct explanation *x;

	add_sleep(e, 1, FLUSHES, 21000000, 2000000);
	x = test_finish(e, 25000 * MS);
	finding = test_finding(x, "storage-idle");
	REQUIRE(finding != NULL);
	CHECK(!finding->is_weighed);
	CHECK_EQ(finding->saves_ns, 0);
	CHECK(strstr(finding->advice, "No task waited") == NULL);
	explanation__free(x);
}

/* explain -d: verdict, table, blame and findings are of the waits for that device. */
static void waits_for_a_device_that_is_not_explained_do_not_count(void)
{
	static const char *const chosen[] = {"sda"};
	struct explainer *e = two_devices(chosen, 1);
	struct explanation *x;

	/* No IO tells on which device this file is. */
	add_sleep(e, 3, FLUSHES, 6000000, 2000000);
	x = test_finish(e, 25000 * MS);
	CHECK_EQ(x->waits.total_ns, 400 * MS);
	CHECK_EQ(x->waits.task_count, 2);
	CHECK(strstr(x->verdict, "fio") == NULL);
	for (uint32_t i = 0; i < x->waits.blame_count; i++)
		CHECK(strcmp(x->waits.blame[i].victim, "fio") != 0);
	explanation__free(x);
}

/* 400 commits, waited for 2 ms each: a write with a flush before it, which takes `flush_us`. */
static void add_commits(struct explainer *e, uint64_t flush_us, bool has_flush_rows)
{
	for (uint64_t i = 0; i < 400; i++) {
		struct io_row write = test_read(START_NS + i * 2500 * US, i * 8);
		struct io_row flush = {.created_ns = write.created_ns,
				       .issued_ns = write.created_ns,
				       .completed_ns = write.created_ns + flush_us * US,
				       .device = 1,
				       .op = IO_OP_FLUSH,
				       .flags = IO_FLUSH_MACHINERY};

		write.op = IO_OP_WRITE;
		write.flags = IO_PREFLUSH | IO_FUA;
		write.task = 4;
		write.file = 0;
		if (has_flush_rows)
			test_add(e, flush);
		test_add(e, write);
		add_sleep(e, 1, COMMITS, i * 2500, 2000);
	}
}

static struct explanation *with_commits(uint64_t flush_us, bool has_flush_rows)
{
	struct explainer *e = new_explainer();

	add_commits(e, flush_us, has_flush_rows);
	return test_finish(e, 1000 * MS);
}

static void flushes_save_no_more_than_the_device_took_for_them(void)
{
	struct explanation *x = with_commits(90, true);
	const struct explain_finding *finding = test_finding(x, "fsync-storm");

	REQUIRE(finding != NULL);
	CHECK_EQ(finding->saves_ns, 400 * 90 * US);
	CHECK(strstr(finding->advice, "power-loss") == NULL);
	CHECK_TEXT(x->findings[0].id, "waits-for-journal");
	CHECK_EQ(x->findings[0].saves_ns, 800 * MS);
	explanation__free(x);
	x = with_commits(900, true);
	finding = test_finding(x, "fsync-storm");
	REQUIRE(finding != NULL);
	CHECK_EQ(finding->saves_ns, 400 * 900 * US);
	CHECK(strstr(finding->advice, "power-loss") != NULL);
	explanation__free(x);
}

/* 800 ms of commits and 30 ms of throttling; the device had IOs for 40 ms. */
static void a_faster_device_saves_a_part_of_commits_and_of_throttling(void)
{
	struct explainer *e = new_explainer();
	const struct explain_finding *finding;
	struct explanation *x;

	add_commits(e, 90, true);
	add_sleep(e, 3, WRITES_DIRTY, 0, 30000);
	x = test_finish(e, 1000 * MS);
	finding = test_finding(x, "device-dominates");
	REQUIRE(finding != NULL);
	CHECK_EQ(finding->saves_ns, (40 + 30) * MS);
	CHECK_TEXT(finding->saves_of, "mysqld");
	CHECK(strstr(finding->advice, "Schedulers") != NULL);
	/* A journal of its own takes it all. */
	finding = test_finding(x, "waits-for-journal");
	REQUIRE(finding != NULL);
	CHECK_EQ(finding->saves_ns, 800 * MS);
	explanation__free(x);
}

/* 400 flushes of 50 us and 8 of 2 ms, beside 800 ms of waits for commits. */
static void a_tail_of_flushes_saves_no_more_than_all_of_them_took(void)
{
	struct explainer *e = new_explainer();
	const struct explain_finding *finding;
	struct explanation *x;

	add_commits(e, 50, true);
	for (uint64_t i = 0; i < 8; i++) {
		struct io_row flush = test_read(START_NS + (1000 + i * 5) * MS, 0);

		flush.op = IO_OP_FLUSH;
		flush.flags = IO_FLUSH_MACHINERY;
		flush.bytes = 0;
		flush.completed_ns = flush.created_ns + 2 * MS;
		test_add(e, flush);
	}
	x = test_finish(e, 1100 * MS);
	finding = test_finding(x, "tail-latency");
	REQUIRE(finding != NULL);
	CHECK(strstr(finding->title, "flush IOs") != NULL);
	CHECK_EQ(finding->saves_ns, 8 * (2 * MS - 50 * US));
	explanation__free(x);
}

/* 400 reads of 100 places, each waited for 100 us; the pages were dropped in between. */
static struct explanation *read_again(uint64_t evicted_pages)
{
	struct cache_row row = {.time_ns = START_NS + MS,
				.interval_ns = MS,
				.file = 1,
				.task = 1,
				.reads = 2000,
				.read_pages = 2000,
				.demand_miss_pages = 2000,
				.deleted_pages = 1900,
				.evicted_pages = evicted_pages};
	struct explainer *e = new_explainer();

	test_add_workload(e, "2000 reads 100us apart in turn at 4 places");
	CHECK(!explainer__add_cache(e, &row));
	for (uint64_t i = 0; i < 400; i++)
		add_sleep(e, 1, READS_PAGE, i * 100, 100);
	return test_finish(e, 1000 * MS);
}

/* Not the reads that no cache can spare. */
static void reads_that_are_needed_are_not_saved(void)
{
	struct explanation *x = read_again(0);
	const struct explain_finding *dropped = test_finding(x, "dropped-and-read-again");
	uint64_t read_ns = x->waits.causes[CAUSE_PAGE_READ].ns;

	REQUIRE(dropped && read_ns > 30 * MS);
	CHECK(x->dropping.again_pages > 1000 && x->dropping.again_pages < 2000);
	CHECK_EQ(dropped->saves_ns / US, read_ns * x->dropping.again_pages / 2000 / US);
	explanation__free(x);
	x = read_again(1900);
	REQUIRE(test_finding(x, "thrashing"));
	CHECK_EQ(test_finding(x, "thrashing")->saves_ns / US,
		 read_ns * x->evicted_again_pages / 2000 / US);
	explanation__free(x);
}

static void flushes_inside_of_writes_have_no_time_of_their_own(void)
{
	struct explanation *x = with_commits(0, false);
	const struct explain_finding *finding = test_finding(x, "fsync-storm");

	REQUIRE(finding != NULL);
	CHECK_EQ(finding->saves_ns, 800 * MS);
	CHECK(strstr(finding->advice, "power-loss") != NULL);
	explanation__free(x);
}

/* `count` flushes of 20 ms within `count` * 50 ms, for which a task sleeps; 10 ms are for the journal. */
static struct explanation *with_flushes(uint64_t count, uint64_t apart_us)
{
	struct explainer *e = new_explainer();

	for (uint64_t i = 0; i < count; i++) {
		struct io_row flush = {.created_ns = START_NS + i * apart_us * US,
				       .issued_ns = START_NS + i * apart_us * US,
				       .completed_ns = START_NS + (i * apart_us + 20000) * US,
				       .device = 1,
				       .op = IO_OP_FLUSH,
				       .flags = IO_FLUSH_MACHINERY};

		test_add(e, flush);
		add_sleep(e, 1, FLUSHES, i * apart_us, 20000);
	}
	add_sleep(e, 3, COMMITS, 0, 10000);
	return test_finish(e, count * apart_us * US);
}

/* 20 times a second fsync waits for a slow flush. */
static void a_wait_for_slow_flushes_is_found(void)
{
	struct explanation *x = with_flushes(40, 50000);
	const struct explain_finding *finding = test_finding(x, "waits-for-flush");

	REQUIRE(finding != NULL);
	CHECK_EQ(finding->severity, SEVERITY_WARNING);
	CHECK(finding->is_weighed);
	CHECK_EQ(finding->saves_ns, 800 * MS);
	CHECK_TEXT(finding->saves_of, "mysqld");
	CHECK(strstr(finding->evidence, "for a flush of the device's cache, 800 ms of all 810 ms"));
	CHECK(strstr(finding->advice, "Half of the flushes of sda took up to 20 ms. Sync less "));
	explanation__free(x);
}

/* Where flushes are as many as slow, one finding has the advice. */
static void an_advice_about_flushes_is_given_once(void)
{
	struct explanation *x = with_flushes(200, 21000);

	CHECK(!test_finding(x, "fsync-storm"));
	CHECK(test_finding(x, "waits-for-flush") != NULL);
	explanation__free(x);
	x = with_flushes(200, 10000);
	CHECK(test_finding(x, "fsync-storm") != NULL);
	CHECK(!test_finding(x, "waits-for-flush"));
	explanation__free(x);
}

int main(void)
{
	RUN(the_finding_that_could_save_most_comes_first);
	RUN(an_advice_that_saves_nothing_says_so);
	RUN(who_waits_elsewhere_may_gain);
	RUN(nothing_is_said_of_waits_below_another_device);
	RUN(without_waits_nothing_is_weighed);
	RUN(time_without_a_cpu_counts_outside_of_calls_too);
	RUN(a_finding_about_a_device_has_the_waits_for_it);
	RUN(waits_for_a_device_that_is_not_known_weigh_no_finding_about_one);
	RUN(waits_for_a_device_that_is_not_explained_do_not_count);
	RUN(flushes_save_no_more_than_the_device_took_for_them);
	RUN(a_faster_device_saves_a_part_of_commits_and_of_throttling);
	RUN(a_tail_of_flushes_saves_no_more_than_all_of_them_took);
	RUN(reads_that_are_needed_are_not_saved);
	RUN(flushes_inside_of_writes_have_no_time_of_their_own);
	RUN(a_wait_for_slow_flushes_is_found);
	RUN(an_advice_about_flushes_is_given_once);
	return TEST_RESULT;
}
