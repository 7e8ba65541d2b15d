// SPDX-License-Identifier: MIT
/* Findings about tasks that wait behind a limit, for a free request, or behind the IOs of others. */
#include "render/owners.h"
#include "unit/explain/waiting.h"

static bool other_is_used;
static uint64_t also_waits_ms, lone_reads;

static void a_limit_is_found_with_the_time_that_it_took(void)
{
	struct explainer *e = new_explainer();
	const struct explain_finding *finding;
	struct explanation *x;

	add_limited(e);
	x = test_finish(e, 1950 * MS);
	finding = test_finding(x, "limited-by-cgroup");
	REQUIRE(finding != NULL);
	CHECK(finding == &x->findings[0]);
	CHECK_EQ(finding->saves_ns, 1890 * MS);
	CHECK_EQ(finding->saves_ns, x->waits.causes[CAUSE_CGROUP_LIMIT].ns);
	CHECK_TEXT(finding->saves_of, "mysqld");
	/* What the limit holds back does not reach the device. */
	CHECK(test_finding(x, "storage-idle") == NULL);
	explanation__free(x);
}

static void ios_behind_a_limit_are_of_who_waited_for_them(void)
{
	struct explainer *e = new_explainer();
	struct explanation *x;
	char *owners;

	add_limited(e);
	/* The last one is waited for twice. */
	add_sleep(e, 3, READS_DIRECT, 99 * 19500 + 1, 19000);
	x = test_finish(e, 1950 * MS);
	REQUIRE(x->writer_count == 1);
	CHECK(x->writers[0].is_limited);
	CHECK_TEXT(x->writers[0].comm, "mysqld");
	CHECK_EQ(x->writers[0].io_ns, 100 * 100 * US);
	owners = render_owners_text(x);
	CHECK_TEXT(owners,
		   "Whose IOs took the time: jbd2/sda1-8 (pid 30) 100 %. Threads of the "
		   "kernel send IOs for others: IOs of mysqld behind an IO limit took 100 %.");
	free(owners);
	explanation__free(x);
}

/* Among tasks that wait 50 times as long as it for other things, and hardly longer than it for limits. */
static void a_task_that_is_held_back_is_found_among_many_that_wait(void)
{
	struct wait_row whole = {.what = WAIT_TASK,
				 .time_ns = START_NS + 1950 * MS,
				 .duration_ns = 1950 * MS,
				 .task = 1};
	struct explainer *e = new_explainer();
	struct explanation *x;

	add_limited(e);
	add_sleep(e, 3, WRITES_DIRTY, 0, 90000000);
	x = test_finish(e, 1950 * MS);
	CHECK(!test_finding(x, "limited-by-cgroup"));
	explanation__free(x);
	e = new_explainer();
	add_limited(e);
	add_sleep(e, 3, WRITES_DIRTY, 0, 90000000);
	CHECK(!explainer__add_wait(e, &whole));
	x = test_finish(e, 1950 * MS);
	REQUIRE(test_finding(x, "limited-by-cgroup"));
	CHECK(strstr(test_finding(x, "limited-by-cgroup")->evidence,
		     "mysqld (pid 100) waited 1.89 s of 1.95 s for the IO limit"));
	explanation__free(x);
	/* A task that lived for a moment only. */
	e = new_explainer();
	add_limited(e);
	add_sleep(e, 3, WRITES_DIRTY, 0, 90000000);
	CHECK(!explainer__add_wait(e, &whole));
	x = test_finish(e, 60000 * MS);
	CHECK(!test_finding(x, "limited-by-cgroup"));
	explanation__free(x);
}

static bool says_of_limit(struct trace_io_limit set, const char *words)
{
	struct explainer *e = new_explainer();
	const struct explain_finding *finding;
	struct explanation *x;
	bool found;

	limit = set;
	add_limited(e);
	x = test_finish(e, 1950 * MS);
	limit = (struct trace_io_limit){.major = 8};
	finding = test_finding(x, "limited-by-cgroup");
	found = finding && (strstr(finding->evidence, words) || strstr(finding->advice, words));
	printf("# %s %s\n", finding ? finding->evidence : "", finding ? finding->advice : "");
	explanation__free(x);
	return found;
}

static void the_advice_names_the_limit_and_its_group(void)
{
	const struct trace_io_limit ios = {.major = 8, .above = 1, .read_ios_per_s = 50};
	const struct trace_io_limit bytes = {.major = 8, .read_bytes_per_s = 1 << 20};
	const struct trace_io_limit both = {
		.major = 8, .read_bytes_per_s = 1 << 20, .read_ios_per_s = 50};
	const struct trace_io_limit none = {.major = 8, .write_ios_per_s = 50};

	CHECK(says_of_limit(ios, "cgroup /batch (50 reads a second)"));
	CHECK(says_of_limit(ios, "Raise riops of /batch in io.max"));
	CHECK(says_of_limit(ios, "blkio.throttle.read_iops_device"));
	CHECK(says_of_limit(ios, "larger IOs"));
	CHECK(says_of_limit(bytes, "Raise rbps of /batch/db in io.max"));
	CHECK(!says_of_limit(bytes, "larger IOs"));
	CHECK(says_of_limit(both, "Raise rbps or riops of /batch/db in io.max"));
	CHECK(says_of_limit(none, "the limit of its cgroup /batch/db (io.max, io.weight"));
}

static void add_whole(struct explainer *e, uint32_t task, uint64_t wall_ms)
{
	struct wait_row whole = {.what = WAIT_TASK,
				 .time_ns = START_NS + wall_ms * MS,
				 .duration_ns = wall_ms * MS,
				 .sleep_ns = wall_ms * MS,
				 .task = task};

	CHECK(!explainer__add_wait(e, &whole));
}

/* Reads that wait for 4 of 5 ms while the device writes file 2 for `task`; from the page cache, or past it. */
static struct explanation *behind_writes(uint32_t task, bool direct, uint32_t writer)
{
	struct explainer *e = new_explainer();
	struct cache_row dirtied = {.time_ns = START_NS,
				    .interval_ns = MS,
				    .task = writer,
				    .file = 2,
				    .dirtied_pages = 100};

	if (writer)
		CHECK(!explainer__add_cache(e, &dirtied));
	for (uint64_t i = 0; i < 100; i++) {
		struct io_row write = test_read(START_NS + i * 10 * MS, 1 << 20);
		struct io_row read = write;

		write.op = IO_OP_WRITE;
		write.task = task;
		write.file = direct ? 0 : 2;
		write.origin = direct ? IO_ORIGIN_DIRECT : IO_ORIGIN_FILE;
		write.completed_ns = write.created_ns + 4 * MS;
		read.origin = IO_ORIGIN_DIRECT;
		read.file = 0;
		read.depth = 2;
		read.completed_ns = read.created_ns + 5 * MS;
		test_add(e, write);
		test_add(e, read);
		add_sleep(e, 1, READS_DIRECT, i * 10000, 5000);
	}
	for (uint64_t i = 0; i < lone_reads; i++)
		test_add(e, test_read(START_NS + (i * 10 + 7) * MS, 0));
	if (also_waits_ms) {
		add_sleep(e, 3, WRITES_DIRTY, 0, also_waits_ms * 1000);
		add_whole(e, 1, 500);
		add_whole(e, 3, also_waits_ms);
	}
	return test_finish(e, 1000 * MS);
}

/* fio, whose writes mysqld waits behind, waits longer than it. */
static void who_waits_behind_another_has_a_sentence(void)
{
	struct explanation *x;

	also_waits_ms = 900;
	x = behind_writes(3, true, 0);
	CHECK(strstr(x->verdict, "fio 200 waited 900 ms of 900 ms: 900 ms (100.0 %) for the limit "
				 "of dirty pages. mysqld 100 waited 399 ms of 500 ms (80 %) behind "
				 "the IOs of others: fio 399 ms, the device."));
	printf("# %s\n", x->verdict);
	explanation__free(x);
	also_waits_ms = 0;
}

static bool advises(const struct explanation *x, const char *words)
{
	const struct explain_finding *finding = test_finding(x, "waits-behind-others");

	printf("# %s\n", finding ? finding->advice : "no finding");
	return finding && strstr(finding->advice, words) != NULL;
}

static void the_advice_names_what_can_be_left_out(void)
{
	struct explanation *x = behind_writes(3, true, 0);

	CHECK(advises(x, "Limit fio "));
	CHECK(advises(x, "--without task=fio'"));
	explanation__free(x);
	x = behind_writes(WORKER, false, COPIES);
	CHECK(advises(x, "Limit cp "));
	CHECK(advises(x, "--without file=/srv/copy'"));
	explanation__free(x);
	x = behind_writes(WORKER, false, 0);
	CHECK(!advises(x, "Limit kworker"));
	CHECK(advises(x, "--without file=/srv/copy'"));
	explanation__free(x);
}

/* Mostly one request at a time, so the device looks like that of one program. */
static void no_finding_denies_what_another_advises(void)
{
	const struct explain_finding *finding;
	struct explanation *x;

	lone_reads = 20;
	x = behind_writes(3, true, 0);
	lone_reads = 0;
	CHECK(advises(x, "let a scheduler divide the device"));
	finding = test_finding(x, "device-dominates");
	REQUIRE(finding != NULL);
	printf("# %s\n", finding->advice);
	CHECK(!strstr(finding->advice, "chedulers"));
	CHECK(strstr(finding->advice,
		     "Fewer or larger IOs, a cache or a faster device can help.") != NULL);
	explanation__free(x);
}

static void the_advice_is_about_where_the_wait_was(void)
{
	const struct trace_device present = test_devices[0];
	struct cache_row dirtied = {
		.time_ns = START_NS, .task = COPIES, .file = 2, .dirtied_pages = 100};
	struct io_row write = test_read(START_NS + 10 * US, 1 << 20);
	struct explainer *e = new_explainer();
	struct explanation *x;

	/* A limit of the copy would hold back what the commit waits for. */
	CHECK(!explainer__add_cache(e, &dirtied));
	write.op = IO_OP_WRITE;
	write.task = WORKER;
	write.file = 2;
	write.completed_ns = write.created_ns + 400 * MS;
	test_add(e, write);
	add_sleep(e, 1, COMMITS, 0, 401000);
	x = test_finish(e, 1000 * MS);
	CHECK(advises(x, "Let cp keep fewer pages dirty"));
	CHECK(!advises(x, "Limit cp "));
	explanation__free(x);
	/* bfq is there. */
	snprintf(test_devices[0].scheduler, sizeof(test_devices[0].scheduler), "bfq");
	x = behind_writes(3, true, 0);
	CHECK(advises(x, "Limit fio (io.max of its cgroup), give it a lower io.bfq.weight"));
	explanation__free(x);
	/* A device without requests has no scheduler. */
	test_devices[0].bio_based = true;
	x = behind_writes(3, true, 0);
	CHECK(advises(x, "Limit fio (io.max of its cgroup), or let it run"));
	explanation__free(x);
	test_devices[0] = present;
}

static bool helps_a_full_queue(const char *scheduler, const char *words)
{
	const struct trace_device present = test_devices[0];
	struct explainer *e = new_explainer();
	const struct explain_finding *finding;
	struct explanation *x;
	bool found;

	snprintf(test_devices[0].scheduler, sizeof(test_devices[0].scheduler), "%s", scheduler);
	test_add(e, test_read(START_NS, 0));
	if (other_is_used) {
		struct io_row row = test_read(START_NS, 0);

		row.device = test_devices[1].id;
		test_add(e, row);
	}
	add_sleep(e, 1, TAGS, 0, 500000);
	x = test_finish(e, 1000 * MS);
	test_devices[0] = present;
	finding = test_finding(x, "few-requests");
	found = finding && strstr(finding->advice, words);
	printf("# %s\n", finding ? finding->advice : "no finding");
	explanation__free(x);
	return found;
}

static void more_requests_are_advised_only_where_the_kernel_allows_them(void)
{
	const struct trace_device other = test_devices[1];

	CHECK(helps_a_full_queue("mq-deadline", "Raise nr_requests"));
	CHECK(helps_a_full_queue("none", "with a deeper queue"));
	CHECK(!helps_a_full_queue("none", "Raise nr_requests"));
	/* Of the other devices, those without requests have nothing to raise. */
	snprintf(test_devices[1].scheduler, sizeof(test_devices[1].scheduler), "none");
	other_is_used = true;
	CHECK(helps_a_full_queue("mq-deadline", "if it has a scheduler"));
	test_devices[1].bio_based = true;
	CHECK(helps_a_full_queue("mq-deadline", "Raise nr_requests"));
	test_devices[1] = other;
}

int main(void)
{
	RUN(a_limit_is_found_with_the_time_that_it_took);
	RUN(ios_behind_a_limit_are_of_who_waited_for_them);
	RUN(a_task_that_is_held_back_is_found_among_many_that_wait);
	RUN(the_advice_names_the_limit_and_its_group);
	RUN(who_waits_behind_another_has_a_sentence);
	RUN(the_advice_names_what_can_be_left_out);
	RUN(no_finding_denies_what_another_advises);
	RUN(the_advice_is_about_where_the_wait_was);
	RUN(more_requests_are_advised_only_where_the_kernel_allows_them);
	return TEST_RESULT;
}
