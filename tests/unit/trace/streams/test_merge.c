// SPDX-License-Identifier: MIT
/* Selected rows of several traces, in order of time on one clock. */
#include <errno.h>

#include "base/units.h"
#include "unit/trace/made.h"

/* The sectors of the io rows, joined: "1 2 3". */
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

	/* a begins 100 before b; a row that is late in its file follows at once. */
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

	/* The earliest began before a's host did; c has no wall time. */
	end(&a, 100);
	end(&b, 91000);
	end(&c, 6 * NSEC_PER_SEC);
	REQUIRE(open_stream(3, IO, &all));
	CHECK_EQ(trace_stream__start_ns(stream), NSEC_PER_SEC);
	CHECK_EQ(trace_stream__start_wall_ns(stream), 500000);
	CHECK_EQ(trace_stream__time_ns(stream, 0, 51), NSEC_PER_SEC + 101);
	CHECK_EQ(trace_stream__time_ns(stream, 1, 90001), NSEC_PER_SEC + 1);
	CHECK_EQ(trace_stream__time_ns(stream, 2, 5 * NSEC_PER_SEC + 1), NSEC_PER_SEC + 1);
	/* Before the common clock began: it stays a time. */
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

/* Impossible clocks: nothing wraps around, and no time becomes 0. */
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

static uint64_t dropped_caches; /* by the last kinds_left(), for lack of a device */

/* The rows of the other kinds that a filter selects. */
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
	dropped_caches = trace_stream__dropped(stream, ROW_CACHE);
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
	CHECK_EQ(dropped_caches, 0);
	filter.device_count = 1;
	filter.devices = sdb;
	CHECK_TEXT(kinds_left(&filter), "dl");
	CHECK_EQ(dropped_caches, 1);
	filter.devices = sda;
	CHECK_TEXT(kinds_left(&filter), "l");
	filter = TRACE_FILTER_ALL;
	filter.task_count = 1;
	filter.tasks = db;
	CHECK_TEXT(kinds_left(&filter), "cdl");
	filter.tasks = dbx;
	CHECK_TEXT(kinds_left(&filter), "dl");
	filter.device_count = 1;
	filter.devices = sdb;
	CHECK_TEXT(kinds_left(&filter), "dl");
	CHECK_EQ(dropped_caches, 0);
	filter = TRACE_FILTER_ALL;
	filter.ops = 1;
	CHECK_TEXT(kinds_left(&filter), "dl");
	/* 1000 after the start; the loss began before it and goes on. */
	filter = TRACE_FILTER_ALL;
	filter.from_ns = 1000;
	CHECK_TEXT(kinds_left(&filter), "cd");
	filter.by_span = true;
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

/* A window counts from the start of the earliest trace. */
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

/* A trace that is cut ends, the other goes on. */
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

int main(void)
{
	make_folder();
	RUN(test_order);
	RUN(test_clock);
	RUN(test_hostile_clocks);
	RUN(test_filters);
	RUN(test_filters_of_other_kinds);
	RUN(test_filter_text);
	RUN(test_window_of_several);
	RUN(test_cut_source);
	RUN(test_watch);
	remove_folder();
	return TEST_RESULT;
}
