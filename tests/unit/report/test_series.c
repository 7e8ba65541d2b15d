// SPDX-License-Identifier: MIT
/* The page cache and the processes over time. */
#include "report/cache_series.h"
#include "report/task_series.h"
#include "unit/explain/made_traces.h"

static struct cache_row cache_at(uint64_t from_ns, uint64_t to_ns)
{
	return (struct cache_row){.time_ns = to_ns,
				  .interval_ns = to_ns - from_ns,
				  .read_pages = 10,
				  .demand_miss_pages = 3,
				  .readahead_used_pages = 4,
				  .dirtied_pages = 5,
				  .written_back_pages = 6,
				  .evicted_pages = 7};
}

static void rows_of_one_time_are_one_interval(void)
{
	static struct cache_series s;
	struct cache_row row = cache_at(1000, 2000);

	cache_series_add(&s, &row);
	cache_series_add(&s, &row);
	row = cache_at(2000, 3000);
	cache_series_add(&s, &row);
	REQUIRE(s.count == 2);
	CHECK_EQ(s.list[0].from_ns, 1000);
	CHECK_EQ(s.list[0].to_ns, 2000);
	CHECK_EQ(s.list[0].read, 20);
	CHECK_EQ(s.list[0].missed, 6);
	CHECK_EQ(s.list[0].readahead, 8);
	CHECK_EQ(s.list[1].dirtied, 5);
	CHECK_EQ(s.list[1].written_back, 6);
	CHECK_EQ(s.list[1].evicted, 7);
	/* A row that comes late belongs where its time is. */
	row = cache_at(1000, 2000);
	cache_series_add(&s, &row);
	CHECK_EQ(s.count, 2);
	CHECK_EQ(s.list[0].read, 30);
}

static void many_intervals_are_united_without_loss(void)
{
	static struct cache_series s;
	uint64_t read = 0, last_ns = 0;

	for (uint64_t i = 0; i < 12345; i++) {
		struct cache_row row = cache_at(1000 * i, 1000 * i + 1000);

		cache_series_add(&s, &row);
	}
	CHECK(s.count <= CACHE_INTERVALS_MAX);
	CHECK(s.count >= CACHE_INTERVALS_MAX / 2);
	for (uint32_t i = 0; i < s.count; i++) {
		CHECK_EQ(s.list[i].from_ns, last_ns);
		last_ns = s.list[i].to_ns;
		read += s.list[i].read;
	}
	CHECK_EQ(last_ns, 12345000);
	CHECK_EQ(read, 123450);
}

static void an_interval_longer_than_the_trace_begins_at_0(void)
{
	static struct cache_series s;
	struct cache_row row = cache_at(0, 500);

	row.interval_ns = 1000;
	cache_series_add(&s, &row);
	CHECK_EQ(s.list[0].from_ns, 0);
}

static void add_ios(struct task_series *s, uint32_t task, uint32_t bin, unsigned int count)
{
	struct io_row row = test_read(START_NS, 0);

	row.task = task;
	while (count--)
		if (task_series_add(s, &row, bin))
			abort();
}

static uint64_t sum_of_bins(const struct task_load *load)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < TIMELINE_BINS; i++)
		sum += load->ios[i];
	return sum;
}

static void threads_of_a_process_are_one(void)
{
	struct task_series s = {0};

	add_ios(&s, 1, 10, 2); /* threads 1 and 2 of mysqld */
	add_ios(&s, 2, 11, 3);
	add_ios(&s, 3, 12, 4);
	REQUIRE(!task_series_finish(&s, &test_tables));
	REQUIRE(s.count == 2);
	CHECK_TEXT(s.list->name.name, "mysqld");
	CHECK_EQ(s.list->total_ios, 5);
	CHECK_EQ(s.list->ios[10], 2);
	CHECK_EQ(s.list->ios[11], 3);
	CHECK_EQ(s.list->bytes[11], 3 * 4096);
	CHECK_EQ(s.list->time_ns[10], 2 * 100 * US);
	CHECK_TEXT(s.list->next->name.name, "fio");
	CHECK(!s.list->next->next);
	CHECK_EQ(s.others.total_ios, 0);
	task_series_release(&s);
}

static void tasks_beyond_those_shown_are_others(void)
{
	struct task_series s = {0};
	uint64_t shown = 0;

	for (uint32_t task = 1; task <= TASKS_FOLLOWED_MAX + 50; task++)
		add_ios(&s, 1000 + task, 0, task <= TASKS_FOLLOWED_MAX ? task : 1);
	task_series_double_bins(&s);
	REQUIRE(!task_series_finish(&s, &test_tables));
	CHECK_EQ(s.count, TASKS_SHOWN);
	for (const struct task_load *load = s.list; load; load = load->next) {
		CHECK_EQ(load->ios[0], load->total_ios);
		shown += load->total_ios;
	}
	CHECK_EQ(s.list->total_ios, TASKS_FOLLOWED_MAX);
	CHECK_EQ(shown + s.others.total_ios,
		 TASKS_FOLLOWED_MAX * (TASKS_FOLLOWED_MAX + 1) / 2 + 50);
	CHECK_EQ(s.others.ios[0], s.others.total_ios);
	task_series_release(&s);
}

static void a_task_that_comes_late_is_shown_if_it_has_many_ios(void)
{
	struct task_series s = {0};

	for (uint32_t task = 0; task < 3 * TASKS_FOLLOWED_MAX; task++)
		add_ios(&s, 1000 + task, task % TIMELINE_BINS, 1);
	/* New ones keep coming beside it. */
	for (uint32_t task = 0; task < 3 * TASKS_FOLLOWED_MAX; task++) {
		add_ios(&s, 1, 7, 1);
		add_ios(&s, 5000 + task, task % TIMELINE_BINS, 1);
	}
	task_series_double_bins(&s);
	REQUIRE(!task_series_finish(&s, &test_tables));
	CHECK_TEXT(s.list->name.name, "mysqld");
	CHECK_EQ(s.list->total_ios, 3 * TASKS_FOLLOWED_MAX);
	CHECK_EQ(s.list->ios[3], 3 * TASKS_FOLLOWED_MAX);
	CHECK_EQ(s.others.total_ios, 6 * TASKS_FOLLOWED_MAX - (TASKS_SHOWN - 1));
	CHECK_EQ(sum_of_bins(&s.others), s.others.total_ios);
	task_series_release(&s);
}

int main(void)
{
	RUN(rows_of_one_time_are_one_interval);
	RUN(many_intervals_are_united_without_loss);
	RUN(an_interval_longer_than_the_trace_begins_at_0);
	RUN(threads_of_a_process_are_one);
	RUN(tasks_beyond_those_shown_are_others);
	RUN(a_task_that_comes_late_is_shown_if_it_has_many_ios);
	return TEST_RESULT;
}
