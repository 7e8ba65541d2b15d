/* Rows that are wanted, in order of time on one clock, and copied into a trace of their own. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/units.h"
#include "trace/copier.h"
#include "unit/test.h"

#define ALL_KINDS ((1u << ROW_KIND_COUNT) - 1)
#define IO	  (1u << ROW_IO)
#define FILES	  3

static char directory[] = "/dev/shm/blkreel-unit-XXXXXX";
static char paths[FILES][64], copy_path[64];
static struct trace_reader *readers[FILES];
static struct trace_stream *stream;

/* A trace with what a test says, and nothing else. */
struct made {
	struct trace_writer *w;
	struct trace_host host;
};

static struct made begin(unsigned int i, const char *name, uint64_t start_ns, uint64_t wall_ns)
{
	struct made made = {.host = {.start_ns = start_ns, .start_wall_ns = wall_ns}};

	snprintf(made.host.hostname, sizeof(made.host.hostname), "%s", name);
	if (trace_writer__create(paths[i], &made.host, NULL, &made.w))
		exit(EXIT_FAILURE);
	return made;
}

static void add_device(struct made *made, uint32_t id, const char *name)
{
	struct trace_device device = {.id = id};

	snprintf(device.name, sizeof(device.name), "%s", name);
	CHECK_EQ(trace_writer__add_device(made->w, &device), 0);
}

static void add_task(struct made *made, uint32_t id, const char *comm, uint32_t pid, uint32_t tgid)
{
	struct trace_task task = {.id = id, .pid = pid, .tgid = tgid};

	snprintf(task.comm, sizeof(task.comm), "%s", comm);
	CHECK_EQ(trace_writer__add_task(made->w, &task), 0);
}

static void add_io(struct made *made, uint64_t completed_ns, uint64_t sector)
{
	struct io_row row = {.completed_ns = completed_ns, .sector = sector, .device = 1};

	CHECK_EQ(trace_writer__append_io(made->w, &row), 0);
}

static void end(struct made *made, uint64_t stop_ns)
{
	struct trace_summary summary = {.stop_ns = stop_ns,
					.in_flight_at_end = 2,
					.readahead_unknown_pages = 3,
					.page_cache_bytes = stop_ns,
					.page_cache_of_cgroup = true,
					.page_cache_mglru = true,
					.command_status = 256};

	CHECK_EQ(trace_writer__close(made->w, stop_ns ? &summary : NULL), 0);
}

static bool open_stream(unsigned int count, unsigned int kinds, const struct trace_filter *filter)
{
	for (unsigned int i = 0; i < count; i++)
		if (trace_reader__open(paths[i], &readers[i], NULL))
			return false;
	return !trace_stream__new(readers, count, kinds, filter, &stream);
}

static void close_stream(void)
{
	trace_stream__free(stream);
	stream = NULL;
	for (unsigned int i = 0; i < FILES; i++) {
		trace_reader__free(readers[i]);
		readers[i] = NULL;
	}
}

/* The sectors of the io rows that come, joined: "1 2 3". */
static const char *sectors(void)
{
	static char text[256];
	struct trace_stream_row row;
	size_t used = 0;

	*text = '\0';
	while (trace_stream__next(stream, &row) == 1)
		if (row.kind == ROW_IO)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%llu",
						 used ? " " : "",
						 (unsigned long long)row.io->sector);
	return text;
}

static void test_order(void)
{
	struct made a = begin(0, "a", 1000, 500000), b = begin(1, "b", 90000, 500100);
	struct trace_filter all = TRACE_FILTER_ALL;

	/* a begins 100 before b; a row that is late in its file comes as soon as it can. */
	add_io(&a, 1010, 1);  /* 10 */
	add_io(&a, 1150, 2);  /* 150 */
	add_io(&a, 1120, 3);  /* 120, behind 150 */
	add_io(&a, 1300, 4);  /* 300 */
	add_io(&b, 90001, 5); /* 101 */
	add_io(&b, 90050, 6); /* 150: after a's */
	add_io(&b, 90900, 7); /* 1000 */
	end(&a, 2000);
	end(&b, 91000);
	REQUIRE(open_stream(2, IO, &all));
	CHECK_TEXT(sectors(), "1 5 2 3 6 4 7");
	CHECK_EQ(trace_stream__start_ns(stream), 1000);
	CHECK_EQ(trace_stream__start_wall_ns(stream), 500000);
	CHECK_EQ(trace_stream__time_ns(stream, 0, 1010), 1010);
	CHECK_EQ(trace_stream__time_ns(stream, 1, 90001), 1101);
	CHECK_EQ(trace_stream__time_ns(stream, 1, 0), 0);
	/* In flight when its recording started. */
	CHECK_EQ(trace_stream__time_ns(stream, 1, 89990), 1090);
	CHECK_EQ(trace_stream__error(stream, 0), 0);
	close_stream();
}

static void test_clock(void)
{
	struct trace_filter all = TRACE_FILTER_ALL;
	struct made a = begin(0, "a", 50, 500100), b = begin(1, "b", 90000, 500000),
		    c = begin(2, "c", 5 * NSEC_PER_SEC, 0);

	/* The earliest began before a's host did; c does not know when it began. */
	end(&a, 100);
	end(&b, 91000);
	end(&c, 6 * NSEC_PER_SEC);
	REQUIRE(open_stream(3, IO, &all));
	CHECK_EQ(trace_stream__start_ns(stream), NSEC_PER_SEC);
	CHECK_EQ(trace_stream__start_wall_ns(stream), 500000);
	CHECK_EQ(trace_stream__time_ns(stream, 0, 51), NSEC_PER_SEC + 101);
	CHECK_EQ(trace_stream__time_ns(stream, 1, 90001), NSEC_PER_SEC + 1);
	CHECK_EQ(trace_stream__time_ns(stream, 2, 5 * NSEC_PER_SEC + 1), NSEC_PER_SEC + 1);
	/* Before the common clock began: seen all the same. */
	CHECK_EQ(trace_stream__time_ns(stream, 2, 1), 1);
	CHECK(trace_stream__time_ns(stream, 1, UINT64_MAX) > UINT64_MAX / 2);
	CHECK_EQ(trace_stream__time_ns(stream, 0, 1), NSEC_PER_SEC + 51);
	close_stream();
	/* One alone keeps its clock, even one that begins at 0. */
	c = begin(0, "c", 0, 0);
	end(&c, 8);
	REQUIRE(open_stream(1, IO, &all));
	CHECK_EQ(trace_stream__start_ns(stream), 0);
	CHECK_EQ(trace_stream__time_ns(stream, 0, 5), 5);
	close_stream();
}

/* Clocks that no host has: nothing wraps around, and what was seen stays seen. */
static void test_hostile_clocks(void)
{
	struct trace_filter all = TRACE_FILTER_ALL;
	struct made a = begin(0, "a", UINT64_MAX, 1), b = begin(1, "b", 5, UINT64_MAX);

	add_io(&a, 1, 1);
	add_io(&b, UINT64_MAX, 2);
	add_io(&b, 1, 3);
	end(&a, 100);
	end(&b, UINT64_MAX);
	REQUIRE(open_stream(2, IO, &all));
	CHECK(trace_stream__time_ns(stream, 1, UINT64_MAX) == UINT64_MAX);
	CHECK(trace_stream__time_ns(stream, 0, 1) >= 1);
	CHECK_TEXT(sectors(), "1 2 3");
	close_stream();
}

static void test_filters(void)
{
	static const char *const devices[] = {"sdb", "sdz", "late"}, *const tasks[] = {"db", "42"};
	struct trace_filter filter = TRACE_FILTER_ALL;
	struct made a = begin(0, "a", 1000, 5);
	struct io_row row = {.completed_ns = 1500};
	struct tick_row tick = {.time_ns = 2000, .device = 2};
	struct cache_row cache = {.time_ns = 2000, .task = 2};
	struct loss_row loss = {.from_ns = 1500, .to_ns = 2500, .count = 1};

	add_device(&a, 1, "sda");
	add_device(&a, 2, "sdb");
	add_task(&a, 1, "dbx", 7, 7);
	add_task(&a, 2, "db", 8, 8);
	add_task(&a, 3, "w", 43, 42);
	for (uint32_t i = 1; i <= 36; i++) {
		row.sector = i;
		row.device = 1 + i % 3; /* 3 has no entry yet */
		row.task = 1 + i % 4;
		row.op = (uint8_t)(i % 3);
		CHECK_EQ(trace_writer__append_io(a.w, &row), 0);
	}
	CHECK_EQ(trace_writer__append_tick(a.w, &tick), 0);
	CHECK_EQ(trace_writer__append_cache(a.w, &cache), 0);
	CHECK_EQ(trace_writer__append_loss(a.w, &loss), 0);
	CHECK_EQ(trace_writer__flush(a.w), 0);
	add_device(&a, 4, "late");
	row = (struct io_row){.completed_ns = 3000, .sector = 99, .device = 4};
	CHECK_EQ(trace_writer__append_io(a.w, &row), 0);
	end(&a, 9999);

	filter.devices = devices;
	filter.device_count = 3;
	REQUIRE(open_stream(1, IO, &filter));
	CHECK_TEXT(sectors(), "1 4 7 10 13 16 19 22 25 28 31 34 99");
	CHECK(trace_stream__knows_device(stream, 0) && !trace_stream__knows_device(stream, 1));
	CHECK(trace_stream__knows_device(stream, 2));
	close_stream();
	filter = TRACE_FILTER_ALL;
	filter.tasks = tasks;
	filter.task_count = 2;
	REQUIRE(open_stream(1, IO, &filter)); /* tasks 2 and, by its process, 3 */
	CHECK_TEXT(sectors(), "1 2 5 6 9 10 13 14 17 18 21 22 25 26 29 30 33 34");
	close_stream();
	filter.ops = 1u << IO_OP_WRITE | 1u << IO_OP_FLUSH;
	REQUIRE(open_stream(1, IO, &filter));
	CHECK_TEXT(sectors(), "1 2 5 10 13 14 17 22 25 26 29 34");
	close_stream();
	CHECK(trace_filter_parts_devices(&filter));
}

/* Which rows of the other kinds a filter leaves. */
static const char *kinds_left(const struct trace_filter *filter)
{
	static char text[32];
	struct trace_stream_row row;
	char *at = text;

	if (!open_stream(1, ALL_KINDS & ~IO, filter))
		return "cannot open";
	while (trace_stream__next(stream, &row) == 1)
		*at++ = "icdl"[row.kind]; /* io, cache, tick (of a device), loss */
	*at = '\0';
	close_stream();
	return text;
}

/* The file is that of test_filters(). */
static void test_filters_of_other_kinds(void)
{
	static const char *const sda[] = {"sda"}, *const sdb[] = {"sdb"}, *const db[] = {"db"},
				 *const dbx[] = {"dbx"};
	struct trace_filter filter = TRACE_FILTER_ALL;

	CHECK_TEXT(kinds_left(&filter), "cdl");
	filter.device_count = 1;
	filter.devices = sdb;
	CHECK_TEXT(kinds_left(&filter), "dl");
	filter.devices = sda;
	CHECK_TEXT(kinds_left(&filter), "l");
	filter = TRACE_FILTER_ALL;
	filter.task_count = 1;
	filter.tasks = db;
	CHECK_TEXT(kinds_left(&filter), "cdl");
	filter.tasks = dbx;
	CHECK_TEXT(kinds_left(&filter), "dl");
	filter = TRACE_FILTER_ALL;
	filter.ops = 1;
	CHECK_TEXT(kinds_left(&filter), "dl");
	/* 1000 after the start; the loss began before it and goes on. */
	filter = TRACE_FILTER_ALL;
	filter.from_ns = 1000;
	CHECK_TEXT(kinds_left(&filter), "cd");
	filter.losses_by_span = true;
	CHECK_TEXT(kinds_left(&filter), "cdl");
	filter.from_ns = 1001;
	CHECK_TEXT(kinds_left(&filter), "l");
	filter.from_ns = 1501;
	CHECK_TEXT(kinds_left(&filter), "");
	filter.from_ns = 0;
	filter.to_ns = 1000;
	CHECK_TEXT(kinds_left(&filter), "l");
	filter.to_ns = 1001;
	CHECK_TEXT(kinds_left(&filter), "cdl");
	filter.to_ns = 500;
	CHECK_TEXT(kinds_left(&filter), "");
}

static void test_filter_text(void)
{
	static const char *const devices[] = {"sda", "sdb"}, *const tasks[] = {"db"};
	struct trace_filter filter = TRACE_FILTER_ALL;
	char text[128];

	CHECK_TEXT(trace_filter_text(&filter, text, sizeof(text)), "");
	CHECK(trace_filter_is_empty(&filter));
	filter.devices = devices;
	filter.device_count = 2;
	CHECK_TEXT(trace_filter_text(&filter, text, sizeof(text)), "device sda, sdb");
	CHECK(!trace_filter_is_empty(&filter) && !trace_filter_parts_devices(&filter));
	filter.tasks = tasks;
	filter.task_count = 1;
	filter.ops = 1u << IO_OP_READ | 1u << IO_OP_DISCARD;
	filter.from_ns = 10 * NSEC_PER_SEC;
	filter.to_ns = 20 * NSEC_PER_SEC + 50000100;
	CHECK_TEXT(trace_filter_text(&filter, text, sizeof(text)),
		   "device sda, sdb; op read, discard; task db; from 10 s to 20.0500001 s");
	CHECK_TEXT(trace_filter_text(&filter, text, 10), "device sd");
}

/* What is asked for counts from the start of the earliest trace. */
static void test_window_of_several(void)
{
	struct trace_filter filter = TRACE_FILTER_ALL;
	struct made a = begin(0, "a", 1000, 500000), b = begin(1, "b", 90000, 500100);

	for (uint64_t at = 0; at < 200; at += 20) {
		add_io(&a, 1000 + at, at);
		add_io(&b, 90000 + at, 1000 + at);
	}
	add_io(&b, 89000, 2000); /* in flight when b started: of its first moment, 100 */
	end(&a, 1200);
	end(&b, 90200);
	filter.from_ns = 100;
	filter.to_ns = 160;
	REQUIRE(open_stream(2, IO, &filter));
	CHECK_TEXT(sectors(), "100 1000 120 1020 140 1040 2000");
	close_stream();
	filter.from_ns = 0;
	filter.to_ns = 100;
	REQUIRE(open_stream(2, IO, &filter));
	CHECK_TEXT(sectors(), "0 20 40 60 80");
	close_stream();
	filter.from_ns = 240;
	filter.to_ns = UINT64_MAX;
	REQUIRE(open_stream(2, IO, &filter));
	CHECK_TEXT(sectors(), "1140 1160 1180");
	close_stream();
}

/* One that is cut ends, the other goes on. */
static void test_cut_source(void)
{
	struct trace_filter all = TRACE_FILTER_ALL;
	struct made a = begin(0, "a", 1000, 5), b = begin(1, "b", 1000, 5);

	add_io(&a, 1001, 1);
	add_io(&b, 1002, 2);
	add_io(&b, 1003, 3);
	end(&a, 0);
	end(&b, 2000);
	REQUIRE(open_stream(2, IO, &all));
	CHECK_TEXT(sectors(), "1 2 3");
	CHECK_EQ(trace_reader__end(readers[0]), TRACE_END_TORN);
	CHECK_EQ(trace_reader__end(readers[1]), TRACE_END_CLEAN);
	close_stream();
}

static int stop_at_second(const struct trace_stream *s, void *context)
{
	return ++*(int *)context == 2 ? -EINTR : 0;
}

static void test_watch(void)
{
	struct trace_filter all = TRACE_FILTER_ALL;
	struct made a = begin(0, "a", 1000, 5);
	struct trace_stream_row row;
	int calls = 0;

	add_io(&a, 1001, 1);
	end(&a, 2000);
	REQUIRE(open_stream(1, IO, &all));
	trace_stream__watch(stream, stop_at_second, &calls);
	CHECK_EQ(trace_stream__next(stream, &row), 1);
	CHECK_EQ(trace_stream__next(stream, &row), -EINTR);
	CHECK_EQ(trace_stream__next(stream, &row), -EINTR);
	CHECK_EQ(calls, 2);
	close_stream();
}

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

/* Devices: the same host's is the same, another host's of the same name is not. */
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
	/* No entry before, none now, and not the same for two traces. */
	CHECK(!trace_reader__device(r, block.io[3].device) && block.io[3].device);
	CHECK(block.io[3].device != block.io[4].device && block.io[4].device != block.io[5].device);
	CHECK_EQ(trace_reader__devices(r), 2);
	CHECK_TEXT(trace_reader__host(r)->hostname, "a,a-host-of-a-very-long-name-indeed");
	trace_reader__free(r);
}

/* The name stays with the trace that was given first, whichever has rows first. */
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

/* Ids that no table can hold are kept where only one trace has them. */
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

/* Of two traces a figure is worth what it is in the lesser one; filters are all named. Figures of
 * rows that are not there are none. */
static void test_copied_tiers(void)
{
	static const struct trace_tier tiers[2][4] = {
		{{"x", "one", "exact", ""},
		 {"y", "one", "exact", ""},
		 {"filter", "process 1", "exact", ""},
		 {"cache_reads", "one", "exact", ""}},
		{{"y", "two", "bounded", ""},
		 {"x", "two", "exact", ""},
		 {"z", "two", "none", ""},
		 {"cache_faults", "two", "exact", ""}},
	};
	struct trace_filter filter = TRACE_FILTER_ALL;
	const char *want[][2] = {
		{"x", "one"}, {"y", "two"}, {"z", "two"}, {"filter", "a: process 1; op read"}};
	struct trace_reader *r;
	struct row_block block;

	for (unsigned int i = 0; i < 2; i++) {
		struct made made = begin(i, i ? "b" : "a", 1000, 5);

		for (unsigned int t = 0; t < 4; t++)
			CHECK_EQ(trace_writer__add_tier(made.w, &tiers[i][t]), 0);
		add_io(&made, 1001, 1);
		end(&made, 2000);
	}
	filter.ops = 1u << IO_OP_READ;
	REQUIRE(open_stream(2, ALL_KINDS, &filter) && copy_stream(&filter));
	close_stream();
	r = open_copy(&block);
	for (uint32_t i = 0; i < 4; i++) {
		REQUIRE(trace_reader__tier(r, i));
		CHECK_TEXT(trace_reader__tier(r, i)->figure, want[i][0]);
		CHECK_TEXT(trace_reader__tier(r, i)->how, want[i][1]);
	}
	CHECK(!trace_reader__tier(r, 4));
	trace_reader__free(r);
}

int main(void)
{
	if (!mkdtemp(directory))
		return EXIT_FAILURE;
	for (int i = 0; i < FILES; i++)
		snprintf(paths[i], sizeof(paths[i]), "%s/%d.reel", directory, i);
	snprintf(copy_path, sizeof(copy_path), "%s/copy.reel", directory);
	RUN(test_order);
	RUN(test_clock);
	RUN(test_hostile_clocks);
	RUN(test_filters);
	RUN(test_filters_of_other_kinds);
	RUN(test_filter_text);
	RUN(test_window_of_several);
	RUN(test_cut_source);
	RUN(test_watch);
	RUN(test_copied_devices);
	RUN(test_copied_device_names_by_order);
	RUN(test_copied_ids_without_entries);
	RUN(test_copied_head_and_summary);
	RUN(test_copied_tiers);
	for (int i = 0; i < FILES; i++)
		unlink(paths[i]);
	unlink(copy_path);
	rmdir(directory);
	return TEST_RESULT;
}
