// SPDX-License-Identifier: MIT
/* Each figure of the page cache in explain against values computed by hand. */
#include "explain/figures/cache_figures.h"
#include "explain/waits/writers.h"
#include "unit/explain/made_traces.h"

static struct cache_row cache_row(uint32_t file, uint64_t read_pages, uint64_t missed)
{
	return (struct cache_row){.time_ns = START_NS + MS,
				  .task = 1,
				  .cgroup = 1,
				  .file = file,
				  .reads = read_pages,
				  .read_pages = read_pages,
				  .demand_miss_pages = missed};
}

static void the_cache_adds_up_and_the_account_closes(void)
{
	struct explainer *e = test_explainer();
	struct cache_row row = cache_row(1, 1000, 300);
	struct explanation *x;

	row.readahead_added_pages = 100;
	row.readahead_used_pages = 60;
	row.readahead_wasted_pages = 15;
	row.dirtied_pages = 7;
	row.written_back_pages = 5;
	CHECK_EQ(explainer__add_cache(e, &row), 0);
	row = cache_row(3, 50, 20); /* metadata */
	row.readahead_added_pages = 4;
	row.other_added_pages = 9;
	CHECK_EQ(explainer__add_cache(e, &row), 0);
	test_add_workload(e, "403 reads 1ms apart 400k further each");
	x = test_finish(e, NSEC_PER_SEC);
	CHECK(x->cache.recorded);
	CHECK_EQ(x->cache.read_pages, 1050);
	CHECK_EQ(x->cache.demand_miss_pages, 320);
	CHECK_EQ(x->cache.hit_pages, 730);
	CHECK_EQ(x->cache.readahead_added_pages, 104);
	CHECK_EQ(x->cache.readahead_unknown_pages, 104 - 60 - 15);
	CHECK_EQ(x->flow.application_bytes, 1050 * 4096);
	CHECK_EQ(x->flow.fetched_file_pages, 400);
	CHECK_EQ(x->flow.device_file_pages, 403);
	CHECK_EQ(x->flow.unaccounted_pages, 3);
	CHECK(x->flow.closed);
	/* 403 pages read for 300 + 60 that were used */
	CHECK(x->flow.read_amplification > 1.1194 && x->flow.read_amplification < 1.1195);
	CHECK(strstr(x->verdict, "1,050 pages were read: 730 (69.5 %) from the page cache"));
	CHECK(!strstr(x->verdict, "slept"));
	CHECK_EQ(x->by_file.list[0].cache_fetched_pages, 400);
	explanation__free(x);
}

/* Each column with a number of its own, in two rows. */
static void each_column_is_added_to_its_own_figure(void)
{
#define PAIR(column)                                                                       \
	{                                                                                  \
		offsetof(struct cache_row, column), offsetof(struct explain_cache, column) \
	}
	static const struct {
		size_t row, sum;
	} pairs[] = {
		PAIR(read_pages),
		PAIR(demand_miss_pages),
		PAIR(fault_pages),
		PAIR(readahead_added_pages),
		PAIR(readahead_used_pages),
		PAIR(readahead_wasted_pages),
		PAIR(readahead_untracked_pages),
		PAIR(write_added_pages),
		PAIR(other_added_pages),
		PAIR(dirtied_pages),
		PAIR(written_back_pages),
		PAIR(deleted_pages),
		PAIR(waits),
		PAIR(wait_ns),
		PAIR(written_pages),
		PAIR(overwritten_pages),
		PAIR(evicted_pages),
		PAIR(direct_reads),
		PAIR(direct_read_bytes),
		PAIR(direct_writes),
		PAIR(direct_write_bytes),
		PAIR(throttles),
		PAIR(throttle_ns),
	};
#undef PAIR
	const struct trace_file device = {.kind = FILE_BLOCKDEV}, regular = {.kind = FILE_REGULAR};
	const struct trace_task process = {.comm = "db"}, damon = {.comm = "kdamond.0"};
	struct explain_cache cache = {0};
	struct cache_row row = {.reads = 7};
	size_t count = sizeof(pairs) / sizeof(pairs[0]);

	for (size_t i = 0; i < count; i++)
		*(uint64_t *)((char *)&row + pairs[i].row) = 1000 + i * i;
	cache_figures__add(&cache, &row, &regular, &process);
	CHECK_EQ(cache.blockdev_demand_pages + cache.blockdev_readahead_pages, 0);
	cache_figures__add(&cache, &row, &device, &damon);
	CHECK_EQ(cache.rows, 2);
	CHECK_EQ(cache.read_operations, 14);
	for (size_t i = 0; i < count; i++)
		CHECK_EQ(*(uint64_t *)((char *)&cache + pairs[i].sum), 2 * (1000 + i * i));
	CHECK_EQ(cache.blockdev_demand_pages, row.demand_miss_pages);
	CHECK_EQ(cache.blockdev_readahead_pages, row.readahead_added_pages);
	CHECK_EQ(cache.blockdev_used_pages, row.readahead_used_pages);
	CHECK_EQ(cache.blockdev_untracked_pages, row.readahead_untracked_pages);
	CHECK_EQ(cache.blockdev_other_pages, row.other_added_pages);
	CHECK_EQ(cache.damon_pages, row.evicted_pages);
	CHECK_EQ(cache.blockdev_write_added_pages, row.write_added_pages);
}

/* 9,437 and 9,962 misses of one recording: both were called exact. */
static void two_counts_of_misses_are_exact_only_if_they_agree(void)
{
	static const struct {
		uint64_t rows, account, metadata;
		bool differ;
	} cases[] = {
		{9962, 9962, 0, false},	 {9437, 9962, 0, true},	 {9962, 9437, 0, true},
		{9900, 9962, 62, false}, {9899, 9962, 62, true}, {9963, 9962, 62, true},
	};
	struct explanation *x = calloc(1, sizeof(*x));
	uint64_t rows, account;

	REQUIRE(x);
	x->cache.recorded = true;
	x->cache.hits_known = true;
	x->what_if.recorded = true;
	x->what_if.result.sampled_one_in = 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		x->what_if.result.recorded.missed_pages = cases[i].rows;
		x->cache.demand_miss_pages = cases[i].account;
		x->cache.blockdev_demand_pages = cases[i].metadata;
		CHECK_EQ(explain_misses_differ(x, &rows, &account), cases[i].differ);
		CHECK_EQ(rows, cases[i].rows);
		CHECK_EQ(account, cases[i].account - cases[i].metadata);
	}
	x->what_if.result.sampled_one_in = 8;
	CHECK(!explain_misses_differ(x, &rows, &account));
	free(x);
}

static void the_verdict_says_how_long_readers_slept(void)
{
	const struct {
		uint64_t wait_ns;
		const char *says;
	} cases[] = {
		{480 * MS, "Readers slept 480 ms of 1.00 s (48 %) for pages on their way."},
		{3000 * MS,
		 "Readers slept 3.00 s in total, within 1.00 s, for pages on their way."},
	};

	for (size_t i = 0; i < 2; i++) {
		struct explainer *e = test_explainer();
		struct cache_row row = cache_row(1, 1000, 1);
		struct explanation *x;

		row.readahead_added_pages = row.readahead_used_pages = 999;
		row.waits = 30;
		row.wait_ns = cases[i].wait_ns;
		CHECK_EQ(explainer__add_cache(e, &row), 0);
		x = test_finish(e, NSEC_PER_SEC);
		CHECK(strstr(x->verdict, "999 (99.9 %) in the page cache or on their way"));
		CHECK(strstr(x->verdict, cases[i].says));
		explanation__free(x);
	}
}

static void times_below_the_resolution_are_not_0(void)
{
	struct explanation x = {.host.resolution_ns = MS};
	char text[UNITS_TEXT_MAX];

	CHECK(!strcmp(explain_time(&x, 0, text), "< 1 ms"));
	CHECK(!strcmp(explain_time(&x, 512, text), "< 1 ms"));
	CHECK(!strcmp(explain_time(&x, MS / 2 - 1, text), "< 1 ms"));
	CHECK(!strcmp(explain_time(&x, MS / 2, text), "500 us"));
	CHECK(!strcmp(explain_time(&x, 2 * MS, text), "2 ms"));
	x.host.resolution_ns = 1;
	CHECK(!strcmp(explain_time(&x, 0, text), "0 ns"));
}

static void pages_of_other_causes_count_in_the_account(void)
{
	struct explainer *e = test_explainer();
	struct cache_row row = cache_row(1, 1000, 300);
	struct explanation *x;

	row.other_added_pages = 2;
	CHECK_EQ(explainer__add_cache(e, &row), 0);
	test_add_workload(e, "303 reads 1ms apart 400k further each");
	x = test_finish(e, NSEC_PER_SEC);
	CHECK_EQ(x->flow.other_file_pages, 2);
	CHECK_EQ(x->flow.unaccounted_pages, 1);
	explanation__free(x);
}

static enum explain_gap gap_of_interval(uint64_t end_ns, uint64_t interval_ns, uint64_t misses)
{
	struct explainer *e = test_explainer();
	struct cache_row row = cache_row(1, 1000, misses);
	struct explanation *x;
	enum explain_gap gap;

	row.time_ns = end_ns;
	row.interval_ns = interval_ns;
	CHECK_EQ(explainer__add_cache(e, &row), 0);
	test_add_workload(e, "303 reads 1ms apart 400k further each");
	x = test_finish(e, NSEC_PER_SEC);
	gap = x->flow.gap;
	explanation__free(x);
	return gap;
}

/* A copy of some seconds: rows are at the end of their interval, IOs at their time. */
static void a_slice_inside_an_interval_is_the_reason_of_a_gap(void)
{
	const uint64_t half = NSEC_PER_SEC / 2;

	CHECK_EQ(gap_of_interval(START_NS + half, half, 400), GAP_HOLES);
	CHECK_EQ(gap_of_interval(START_NS + half, half, 303), GAP_NONE);
	CHECK_EQ(gap_of_interval(START_NS + half, half + 200 * MS, 400), GAP_CUT_INTERVAL);
	CHECK_EQ(gap_of_interval(START_NS + half, half + 200 * MS, 303), GAP_NONE);
	/* The pages of the last reads are in a row that is not there. */
	CHECK_EQ(gap_of_interval(START_NS + 200 * MS, 200 * MS, 200), GAP_CUT_INTERVAL);
	CHECK_EQ(gap_of_interval(START_NS + half, half, 200), GAP_NONE);
}

/* 100 pages are read, 200 of a file and 50 of a device are written in part: 300 reads of files. */
static void pages_that_a_write_changes_in_part_are_read_first(void)
{
	struct explainer *e = test_explainer();
	struct cache_row row = cache_row(1, 100, 100);
	struct explanation *x;

	row.write_added_pages = 200;
	CHECK_EQ(explainer__add_cache(e, &row), 0);
	row = cache_row(3, 1, 0);
	row.write_added_pages = 50;
	CHECK_EQ(explainer__add_cache(e, &row), 0);
	test_add_workload(e, "303 reads 1ms apart 400k further each");
	x = test_finish(e, NSEC_PER_SEC);
	CHECK_EQ(x->flow.partial_write_pages, 200);
	CHECK_EQ(x->flow.unaccounted_pages, 3);
	CHECK(x->flow.read_amplification == 1.01);
	explanation__free(x);
}

/* A file that is written as a whole is not read. */
static void whole_pages_that_a_write_adds_are_not_read(void)
{
	struct explainer *e = test_explainer();
	struct cache_row row = cache_row(1, 300, 300);
	struct explanation *x;

	row.write_added_pages = 1000;
	CHECK_EQ(explainer__add_cache(e, &row), 0);
	test_add_workload(e, "299 reads 1ms apart 400k further each");
	x = test_finish(e, NSEC_PER_SEC);
	CHECK_EQ(x->flow.partial_write_pages, 0);
	CHECK_EQ(x->flow.unaccounted_pages, -1);
	explanation__free(x);
}

static void mapped_readahead_is_not_amplification(void)
{
	struct explainer *e = test_explainer();
	struct cache_row row = cache_row(1, 10, 1);
	struct explanation *x;

	row.readahead_added_pages = 31;
	row.readahead_untracked_pages = 31;
	CHECK_EQ(explainer__add_cache(e, &row), 0);
	test_add_workload(e, "32 reads 1ms apart 400k further each");
	x = test_finish(e, NSEC_PER_SEC);
	CHECK(x->flow.read_amplification == 1.0);
	CHECK(x->flow.amplification_is_lower_bound);
	explanation__free(x);
}

static void read_twice(struct explainer *e, uint32_t file, uint64_t pages)
{
	for (uint64_t i = 0; i < 2 * pages; i++) {
		struct io_row row = test_read(START_NS + i * US, 8 * (i % pages));

		row.file = file;
		test_add(e, row);
	}
}

static void the_task_that_evicts_pages_of_others_is_named(void)
{
	struct explainer *e = test_explainer();
	struct cache_row row = cache_row(2, 600, 600);
	struct explanation *x;

	read_twice(e, 2, 300);

	row.task = 1; /* uses the file, and evicts of it: no other's */
	row.evicted_pages = 100;
	CHECK_EQ(explainer__add_cache(e, &row), 0);
	row = (struct cache_row){
		.time_ns = START_NS + MS, .task = 3, .file = 2, .evicted_pages = 350};
	CHECK_EQ(explainer__add_cache(e, &row), 0);
	CHECK_EQ(explainer__add_cache(e, &row), 0);
	row.file = 1; /* that nobody uses */
	row.evicted_pages = 9000;
	CHECK_EQ(explainer__add_cache(e, &row), 0);
	x = test_finish(e, NSEC_PER_SEC);
	CHECK_EQ(x->eviction.pages, 700);
	/* Half of 600 misses were of pages read before, and 800 pages were evicted. */
	CHECK_EQ(x->eviction.again_pages, 262);
	CHECK(strstr(test_finding(x, "evicts-others")->evidence, "about 262 of these were read"));
	explanation__free(x);
}

/* The same evictions, of less than 1 % of the pages that were read. */
static void a_few_evicted_pages_of_many_are_no_finding(void)
{
	struct explainer *e = test_explainer();
	struct cache_row row = cache_row(2, 600, 600);
	struct explanation *x;

	read_twice(e, 2, 300);
	CHECK_EQ(explainer__add_cache(e, &row), 0);
	row = cache_row(1, 60000, 60000);
	CHECK_EQ(explainer__add_cache(e, &row), 0);
	row = (struct cache_row){
		.time_ns = START_NS + MS, .task = 3, .file = 2, .evicted_pages = 700};
	CHECK_EQ(explainer__add_cache(e, &row), 0);
	x = test_finish(e, NSEC_PER_SEC);
	CHECK(x->eviction.again_pages >= 256);
	CHECK(!test_finding(x, "evicts-others"));
	explanation__free(x);
}

/* A stream of 1,000 pages: fio, short of memory, reclaims what mysqld has read. */
static void who_evicts_pages_that_nobody_reads_again_takes_nothing(void)
{
	struct explainer *e = test_explainer();
	struct cache_row row = cache_row(2, 1000, 1000);
	struct explanation *x;

	CHECK_EQ(explainer__add_cache(e, &row), 0);
	row = (struct cache_row){
		.time_ns = START_NS + MS, .task = 3, .file = 2, .evicted_pages = 800};
	CHECK_EQ(explainer__add_cache(e, &row), 0);
	for (uint64_t i = 0; i < 1000; i++) {
		struct io_row io = test_read(START_NS + i * US, 8 * i);

		io.file = 2;
		test_add(e, io);
	}
	x = test_finish(e, NSEC_PER_SEC);
	CHECK_EQ(x->eviction.pages, 0);
	CHECK(!test_finding(x, "evicts-others"));
	explanation__free(x);
}

/* The trace knows only the name of DAMON. */
static void a_kernel_thread_evicts_for_others(void)
{
	struct cache_row row = cache_row(2, 600, 600);
	struct explainer *e = test_explainer();
	struct explanation *x;

	read_twice(e, 2, 300);
	CHECK_EQ(explainer__add_cache(e, &row), 0);
	row = (struct cache_row){
		.time_ns = START_NS + MS, .task = 77, .file = 2, .evicted_pages = 4000};
	CHECK_EQ(explainer__add_cache(e, &row), 0);
	x = test_finish(e, NSEC_PER_SEC);
	CHECK_EQ(x->eviction.pages, 0);
	CHECK(!test_finding(x, "evicts-others"));
	explanation__free(x);
}

static const struct explain_finding *finding_of_a_writer(uint64_t throttle_ns)
{
	struct explainer *e = test_explainer();
	struct cache_row row = {.time_ns = START_NS + MS, .task = 1, .file = 1, .throttles = 3};
	const struct trace_tier tier = {
		.figure = "cache_throttled", .how = "tp_btf", .quality = "bounded", .note = ""};
	static struct explain_finding found;
	const struct explain_finding *finding;
	struct explanation *x;

	row.throttle_ns = throttle_ns;
	CHECK_EQ(explainer__add_tier(e, &tier), 0);
	CHECK_EQ(explainer__add_cache(e, &row), 0);
	row.task = 3;
	row.throttle_ns = 1;
	CHECK_EQ(explainer__add_cache(e, &row), 0);
	x = test_finish(e, NSEC_PER_SEC);
	CHECK_EQ(x->cache.throttles, 6);
	CHECK_EQ(x->by_task.list[0].throttle_ns + x->by_task.list[1].throttle_ns, throttle_ns + 1);
	finding = test_finding(x, "writeback-throttled");
	if (finding)
		found = *finding;
	explanation__free(x);
	return finding ? &found : NULL;
}

static void a_writer_is_throttled_from_a_tenth_of_the_time_on(void)
{
	const struct explain_finding *finding;

	CHECK(!finding_of_a_writer(99 * MS));
	finding = finding_of_a_writer(101 * MS);
	CHECK(finding);
	CHECK(finding && strstr(finding->evidence, "made to wait 3 times, 101 ms of 1.00 s"));
}

static void the_writer_of_a_file_wrote_nearly_all_of_it(void)
{
	struct writers *w = writers__new(&test_tables);

	REQUIRE(w);
	CHECK_EQ(writers__of(w, 1), 0);
	CHECK_EQ(writers__add(w, 2, 1, 95), 0);
	CHECK_EQ(writers__of(w, 1), 2);
	CHECK_EQ(writers__add(w, 3, 1, 5), 0);
	CHECK_EQ(writers__of(w, 1), 2);
	CHECK_EQ(writers__add(w, 3, 1, 1), 0);
	CHECK_EQ(writers__of(w, 1), 0);
	writers__free(w);
}

static void used_beyond_added_leaves_nothing_unknown(void)
{
	struct explainer *e = test_explainer();
	struct cache_row row =
		cache_row(1, 10, 20); /* more misses than reads: hits are 0, not 2^64 */
	struct explanation *x;

	row.readahead_added_pages = 5;
	row.readahead_used_pages = 9;
	CHECK_EQ(explainer__add_cache(e, &row), 0);
	x = test_finish(e, NSEC_PER_SEC);
	CHECK_EQ(x->cache.readahead_unknown_pages, 0);
	CHECK_EQ(x->cache.hit_pages, 0);
	CHECK_EQ(x->flow.unaccounted_pages, -25);
	explanation__free(x);
}

static void without_cache_rows_the_cache_is_unknown(void)
{
	struct explainer *e = test_explainer();
	struct explanation *x;

	test_add(e, test_read(START_NS, 0));
	x = test_finish(e, NSEC_PER_SEC);
	CHECK(!x->cache.recorded);
	CHECK(!explain_cache_is_left_out(x));
	CHECK(!x->flow.closed);
	explanation__free(x);
}

static void a_copy_can_have_left_the_cache_out(void)
{
	const struct trace_tier left_out = {"cache_left_out", "copy", "unavailable", ""};
	struct explainer *e = test_explainer();
	struct explanation *x;

	CHECK_EQ(explainer__add_tier(e, &left_out), 0);
	test_add(e, test_read(START_NS, 0));
	x = test_finish(e, NSEC_PER_SEC);
	CHECK(!x->cache.recorded);
	CHECK(explain_cache_is_left_out(x));
	explanation__free(x);
}

static void an_old_kernel_knows_no_hits(void)
{
	const struct trace_tier tiers[] = {
		{"cache_reads", "tp_btf", "exact", ""},
		{"cache_demand_misses", "none", "unavailable", "before 6.18"},
	};
	struct explainer *e = test_explainer();
	struct cache_row row = cache_row(1, 1000, 0);
	struct explanation *x;

	for (int i = 0; i < 2; i++)
		CHECK_EQ(explainer__add_tier(e, &tiers[i]), 0);
	CHECK_EQ(explainer__add_cache(e, &row), 0);
	x = test_finish(e, NSEC_PER_SEC);
	CHECK(x->cache.recorded);
	CHECK(explain_cache_knows(&x->cache, CACHE_READS));
	CHECK(!explain_cache_knows(&x->cache, CACHE_DEMAND_MISSES));
	CHECK(!x->cache.hits_known);
	CHECK(!x->flow.closed);
	CHECK(!test_finding(x, "mostly-hits"));
	CHECK(strstr(x->verdict, "could not tell"));
	explanation__free(x);
}

int main(void)
{
	RUN(the_cache_adds_up_and_the_account_closes);
	RUN(each_column_is_added_to_its_own_figure);
	RUN(two_counts_of_misses_are_exact_only_if_they_agree);
	RUN(the_verdict_says_how_long_readers_slept);
	RUN(times_below_the_resolution_are_not_0);
	RUN(pages_of_other_causes_count_in_the_account);
	RUN(a_slice_inside_an_interval_is_the_reason_of_a_gap);
	RUN(pages_that_a_write_changes_in_part_are_read_first);
	RUN(whole_pages_that_a_write_adds_are_not_read);
	RUN(mapped_readahead_is_not_amplification);
	RUN(the_task_that_evicts_pages_of_others_is_named);
	RUN(a_few_evicted_pages_of_many_are_no_finding);
	RUN(who_evicts_pages_that_nobody_reads_again_takes_nothing);
	RUN(a_kernel_thread_evicts_for_others);
	RUN(a_writer_is_throttled_from_a_tenth_of_the_time_on);
	RUN(the_writer_of_a_file_wrote_nearly_all_of_it);
	RUN(used_beyond_added_leaves_nothing_unknown);
	RUN(without_cache_rows_the_cache_is_unknown);
	RUN(a_copy_can_have_left_the_cache_out);
	RUN(an_old_kernel_knows_no_hits);
	return TEST_RESULT;
}
