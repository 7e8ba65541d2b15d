// SPDX-License-Identifier: MIT
/* Copies rows of several traces into one, with their table entries. */
#include "trace/streams/copier.h"
#include "unit/trace/made.h"

static char copy_path[80];

static bool copy_stream(const struct trace_filter *filter)
{
	struct trace_writer_options options = {0};
	struct trace_stream_row row;
	struct trace_copier *c;
	int err = trace_copier__create(copy_path, stream, filter, &options, &c);

	while (!err && trace_stream__next(stream, &row) == 1)
		err = trace_copier__add(c, &row);
	return !err && !trace_copier__finish(c, NULL);
}

static struct trace_reader *open_copy(struct row_block *block)
{
	struct trace_reader *r;

	if (trace_reader__open(copy_path, &r, NULL) || trace_reader__next(r, IO, block) != 1)
		exit(EXIT_FAILURE);
	return r;
}

/* Devices with equal names are the same only on the same host. */
static void test_copied_devices(void)
{
	struct trace_filter all = TRACE_FILTER_ALL;
	struct trace_reader *r;
	struct row_block block;

	for (unsigned int i = 0; i < 3; i++) {
		struct made made =
			begin(i, i < 2 ? "a" : "a-host-of-a-very-long-name-indeed", 1000, 5 + i);

		add_device(&made, 3, "sdz");
		add_device(&made, 5, "sda");
		add_device(&made, 6, "unused");
		CHECK_EQ(trace_writer__append_io(
				 made.w, &(struct io_row){.completed_ns = 1001 + i, .device = 5}),
			 0);
		CHECK_EQ(trace_writer__append_io(
				 made.w, &(struct io_row){.completed_ns = 2001 + i, .device = 7}),
			 0);
		end(&made, 3000);
	}
	REQUIRE(open_stream(3, ALL_KINDS, &all) && copy_stream(&all));
	close_stream();
	r = open_copy(&block);
	CHECK_EQ(block.rows, 6);
	CHECK_EQ(block.io[0].device, block.io[1].device);
	CHECK(block.io[2].device != block.io[0].device);
	REQUIRE(trace_reader__device(r, block.io[0].device));
	CHECK_TEXT(trace_reader__device(r, block.io[0].device)->name, "sda");
	REQUIRE(trace_reader__device(r, block.io[2].device));
	CHECK_TEXT(trace_reader__device(r, block.io[2].device)->name,
		   "a-host-of-a-very-long-name-:sda");
	/* An id without an entry has none in the copy, and differs between two traces. */
	CHECK(!trace_reader__device(r, block.io[3].device) && block.io[3].device);
	CHECK(block.io[3].device != block.io[4].device && block.io[4].device != block.io[5].device);
	CHECK_EQ(trace_reader__devices(r), 2);
	CHECK_TEXT(trace_reader__host(r)->hostname, "a,a-host-of-a-very-long-name-indeed");
	trace_reader__free(r);
}

/* The first trace keeps the name, even if another has rows earlier. */
static void test_copied_device_names_by_order(void)
{
	struct trace_filter all = TRACE_FILTER_ALL;
	struct trace_reader *r;
	struct row_block block;

	for (unsigned int i = 0; i < 3; i++) {
		struct made made = begin(i, i ? "b" : "a", 1000, 5);

		add_device(&made, 1, i < 2 ? "sda" : "b:sda");
		add_io(&made, 2000 - i, i);
		end(&made, 3000);
	}
	REQUIRE(open_stream(3, ALL_KINDS, &all) && copy_stream(&all));
	close_stream();
	r = open_copy(&block);
	CHECK_EQ(block.rows, 3);
	CHECK_TEXT(trace_reader__device(r, block.io[0].device)->name, "b:sda");
	CHECK_TEXT(trace_reader__device(r, block.io[1].device)->name, "b~2:sda");
	CHECK_TEXT(trace_reader__device(r, block.io[2].device)->name, "sda");
	trace_reader__free(r);
}

/* Ids above the maximum stay in a copy of one trace only. */
static void test_copied_ids_without_entries(void)
{
	struct trace_filter all = TRACE_FILTER_ALL;
	struct io_row row = {.completed_ns = 1001, .device = UINT32_MAX, .task = UINT32_MAX - 1};
	struct trace_reader *r;
	struct row_block block;

	for (unsigned int i = 0; i < 2; i++) {
		struct made made = begin(i, "a", 1000, 5);

		CHECK_EQ(trace_writer__append_io(made.w, &row), 0);
		end(&made, 3000);
	}
	for (unsigned int count = 1; count <= 2; count++) {
		REQUIRE(open_stream(count, ALL_KINDS, &all) && copy_stream(&all));
		close_stream();
		r = open_copy(&block);
		CHECK_EQ(block.io[0].device, count == 1 ? UINT32_MAX : 0);
		CHECK_EQ(block.io[0].task, count == 1 ? UINT32_MAX - 1 : 0);
		trace_reader__free(r);
	}
}

/* Two parts of a recording of host a, under other ids, and one of `third`. */
static struct trace_reader *copy_parts(const char *first, const char *third,
				       struct row_block *block)
{
	struct trace_filter all = TRACE_FILTER_ALL;

	for (unsigned int i = 0; i < 3; i++) {
		struct made made = begin(i, i < 2 ? first : third, 1000, 5);
		struct io_row row = {.completed_ns = 1001 + i, .device = 1};
		struct trace_file file = {.id = 3 + i, .major = 8, .inode = 17, .path = "/srv/a"};
		struct trace_cgroup cgroup = {.id = 5 + i, .kernel_id = 99, .path = "/db"};

		row.task = 1 + i;
		row.file = file.id;
		row.cgroup = cgroup.id;
		add_device(&made, 1, "sda");
		add_task(&made, row.task, "db", 4711, 4711);
		CHECK_EQ(trace_writer__add_file(made.w, &file), 0);
		CHECK_EQ(trace_writer__add_cgroup(made.w, &cgroup), 0);
		CHECK_EQ(trace_writer__append_io(made.w, &row), 0);
		end(&made, 3000);
	}
	if (!open_stream(3, ALL_KINDS, &all) || !copy_stream(&all))
		return NULL;
	close_stream();
	return open_copy(block);
}

/* The parts of one recording have one table; the entries of another host are others. */
static void test_copied_entries_of_one_recording(void)
{
	struct row_block block;
	struct trace_reader *r = copy_parts("a", "b", &block);

	REQUIRE(r);
	CHECK_EQ(block.rows, 3);
	CHECK_EQ(trace_reader__tasks(r), 2);
	CHECK_EQ(trace_reader__files(r), 2);
	CHECK_EQ(trace_reader__cgroups(r), 2);
	CHECK(block.io[0].task == block.io[1].task && block.io[0].task != block.io[2].task);
	CHECK(block.io[0].file == block.io[1].file && block.io[0].file != block.io[2].file);
	CHECK(block.io[0].cgroup == block.io[1].cgroup && block.io[0].cgroup != block.io[2].cgroup);
	trace_reader__free(r);
}

/* Whether imports, which have no host, are of one machine is not known. */
static void test_copied_imports_stay_apart(void)
{
	struct row_block block;
	struct trace_reader *r = copy_parts("", "", &block);

	REQUIRE(r);
	CHECK_EQ(trace_reader__tasks(r), 3);
	CHECK_TEXT(trace_reader__device(r, block.io[0].device)->name, "sda");
	CHECK_TEXT(trace_reader__device(r, block.io[1].device)->name, "sda~2");
	CHECK_TEXT(trace_reader__device(r, block.io[2].device)->name, "sda~3");
	trace_reader__free(r);
}

static void test_copied_head_and_summary(void)
{
	struct trace_filter filter = TRACE_FILTER_ALL;
	struct made a = begin(0, "a", 1000, 500000), b = begin(1, "b", 90000, 500100);
	const struct trace_summary *summary;
	struct trace_reader *r;
	struct row_block block;

	add_io(&a, 1150, 1);
	add_io(&b, 90060, 2);
	end(&a, 1200);
	end(&b, 90200);
	REQUIRE(open_stream(2, ALL_KINDS, &filter) && copy_stream(&filter));
	close_stream();
	r = open_copy(&block);
	CHECK_EQ(trace_reader__host(r)->start_ns, 1000);
	CHECK_EQ(trace_reader__host(r)->start_wall_ns, 500000);
	CHECK_EQ(block.io[1].completed_ns, 1160);
	CHECK(!trace_reader__tier(r, 0));
	CHECK_EQ(trace_reader__next(r, IO, &block), 0);
	summary = trace_reader__summary(r);
	REQUIRE(summary);
	CHECK_EQ(summary->stop_ns, 1300);
	CHECK_EQ(summary->stop_wall_ns, 0);
	CHECK_EQ(summary->in_flight_at_end, 4);
	CHECK_EQ(summary->readahead_unknown_pages, 6);
	CHECK_EQ(summary->page_cache_bytes, 90200);
	CHECK(summary->page_cache_of_cgroup);
	CHECK(summary->page_cache_mglru);
	CHECK_EQ(summary->command_status, -1);
	trace_reader__free(r);

	filter.from_ns = 155;
	filter.to_ns = 170;
	REQUIRE(open_stream(2, ALL_KINDS, &filter) && copy_stream(&filter));
	close_stream();
	r = open_copy(&block);
	CHECK_EQ(block.rows, 1);
	CHECK_EQ(trace_reader__host(r)->start_ns, 1155);
	CHECK_EQ(trace_reader__host(r)->start_wall_ns, 500155);
	REQUIRE(trace_reader__tier(r, 0));
	CHECK_TEXT(trace_reader__tier(r, 0)->figure, "filter");
	CHECK_EQ(trace_reader__next(r, IO, &block), 0);
	CHECK_EQ(trace_reader__summary(r)->stop_ns, 1170);
	CHECK_EQ(trace_reader__summary(r)->in_flight_at_end, 0);
	trace_reader__free(r);
}

static uint64_t copied_stop_wall_ns(const struct trace_filter *filter)
{
	struct trace_reader *r;
	struct row_block block;
	uint64_t stop_wall_ns;

	if (!open_stream(1, ALL_KINDS, filter) || !copy_stream(filter))
		return UINT64_MAX;
	close_stream();
	r = open_copy(&block);
	while (trace_reader__next(r, ALL_KINDS, &block) > 0)
		;
	stop_wall_ns = trace_reader__summary(r) ? trace_reader__summary(r)->stop_wall_ns : 0;
	trace_reader__free(r);
	return stop_wall_ns;
}

static void the_wall_time_of_the_end_is_that_of_a_whole_trace(void)
{
	static const char *const devices[] = {"sda"};
	struct trace_filter filter = TRACE_FILTER_ALL;
	struct made a = begin(0, "a", 1000, 500000);

	add_device(&a, 1, "sda");
	add_io(&a, 1150, 1);
	end(&a, 1200);
	CHECK_EQ(copied_stop_wall_ns(&filter), 1200 + 7777);
	filter.devices = devices;
	filter.device_count = 1;
	CHECK_EQ(copied_stop_wall_ns(&filter), 1200 + 7777);
	filter.to_ns = 170;
	CHECK_EQ(copied_stop_wall_ns(&filter), 0);
}

/*
 * Of two traces the lower quality of a figure counts, and all filters are named. A figure of each
 * dropped kind of rows replaces the figures of these.
 */
static void test_copied_tiers(void)
{
	static const struct trace_tier tiers[2][5] = {
		{{"x", "one", "exact", ""},
		 {"y", "one", "exact", ""},
		 {"filter", "process 1", "exact", ""},
		 {"cache_reads", "one", "exact", ""},
		 {"waits", "one", "exact", ""}},
		{{"y", "two", "bounded", ""},
		 {"x", "two", "exact", ""},
		 {"z", "two", "none", ""},
		 {"cache_faults", "two", "exact", ""},
		 {"wait_left_out", "copy", "unavailable", ""}},
	};
	struct trace_filter filter = TRACE_FILTER_ALL;
	const char *want[][2] = {{"x", "one"},
				 {"y", "two"},
				 {"z", "two"},
				 {"cache_left_out", "copy"},
				 {"wait_left_out", "copy"},
				 {"filter", "a: process 1; op read"}};
	struct trace_reader *r;
	struct row_block block;

	for (unsigned int i = 0; i < 2; i++) {
		struct made made = begin(i, i ? "b" : "a", 1000, 5);

		for (unsigned int t = 0; t < 5; t++)
			CHECK_EQ(trace_writer__add_tier(made.w, &tiers[i][t]), 0);
		add_io(&made, 1001, 1);
		end(&made, 2000);
	}
	filter.ops = 1u << IO_OP_READ;
	REQUIRE(open_stream(2, ALL_KINDS, &filter) && copy_stream(&filter));
	close_stream();
	r = open_copy(&block);
	for (uint32_t i = 0; i < 6; i++) {
		REQUIRE(trace_reader__tier(r, i));
		CHECK_TEXT(trace_reader__tier(r, i)->figure, want[i][0]);
		CHECK_TEXT(trace_reader__tier(r, i)->how, want[i][1]);
	}
	CHECK(!trace_reader__tier(r, 6));
	trace_reader__free(r);
}

/* The interval of a task, as the copy of [from, to) has it. */
static struct wait_row copied_interval(uint64_t from_ns, uint64_t to_ns)
{
	struct trace_filter filter = {.from_ns = from_ns, .to_ns = to_ns, .by_span = true};
	struct made made = begin(0, "a", 1000, 5);
	struct wait_row row = {.what = WAIT_TASK,
			       .time_ns = 3000,
			       .duration_ns = 1000,
			       .cpu_ns = 500,
			       .run_queue_ns = 100,
			       .sleep_ns = 400};
	struct wait_row copied = {0};
	struct trace_reader *r;
	struct row_block block;

	CHECK_EQ(trace_writer__append_wait(made.w, &row), 0);
	end(&made, 4000);
	if (!open_stream(1, ALL_KINDS, &filter) || !copy_stream(&filter) ||
	    trace_reader__open(copy_path, &r, NULL))
		exit(EXIT_FAILURE);
	close_stream();
	if (trace_reader__next(r, 1u << ROW_WAIT, &block) == 1)
		copied = block.wait[0];
	trace_reader__free(r);
	return copied;
}

/* It is from 2,000 to 3,000, and the recording begins at 1,000. */
static void test_an_interval_is_cut_to_the_copy(void)
{
	struct wait_row first = copied_interval(0, 1200), rest = copied_interval(1200, UINT64_MAX);
	struct wait_row middle = copied_interval(1250, 1750);

	CHECK_EQ(first.duration_ns, 200);
	CHECK_EQ(first.time_ns, 2200);
	CHECK_EQ(first.cpu_ns, 100);
	CHECK_EQ(rest.duration_ns, 800);
	CHECK_EQ(rest.time_ns, 3000);
	CHECK_EQ(rest.sleep_ns, 320);
	CHECK_EQ(middle.duration_ns, 500);
	CHECK_EQ(middle.time_ns, 2750);
	CHECK_EQ(middle.run_queue_ns, 50);
	CHECK_EQ(copied_interval(0, UINT64_MAX).duration_ns, 1000);
	CHECK_EQ(copied_interval(0, 900).duration_ns, 0);
	CHECK_EQ(copied_interval(2100, UINT64_MAX).duration_ns, 0);
}

int main(void)
{
	make_folder();
	snprintf(copy_path, sizeof(copy_path), "%s/copy.reel", directory);
	RUN(test_copied_devices);
	RUN(test_copied_device_names_by_order);
	RUN(test_copied_ids_without_entries);
	RUN(test_copied_entries_of_one_recording);
	RUN(test_copied_imports_stay_apart);
	RUN(test_copied_head_and_summary);
	RUN(the_wall_time_of_the_end_is_that_of_a_whole_trace);
	RUN(test_copied_tiers);
	RUN(test_an_interval_is_cut_to_the_copy);
	unlink(copy_path);
	remove_folder();
	return TEST_RESULT;
}
