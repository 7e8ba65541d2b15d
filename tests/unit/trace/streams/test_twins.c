// SPDX-License-Identifier: MIT
/* Rows that several traces of one host hold. */
#include "base/units.h"
#include "trace/streams/twins.h"
#include "unit/trace/made.h"

#define START_NS (5 * NSEC_PER_SEC)
#define WALL_NS	 (1700000000 * NSEC_PER_SEC)
#define IOS	 200u
#define STEP_NS	 (10 * NSEC_PER_MSEC)

static const struct trace_filter all = TRACE_FILTER_ALL;

/* A trace of `host` that begins `at` steps after START_NS. */
static struct made begin_at(unsigned int i, const char *host, unsigned int at)
{
	return begin(i, host, START_NS + at * STEP_NS, WALL_NS + at * STEP_NS);
}

/* The IOs from `first` to before `end`, and rows of other kinds with each tenth; the task `db` makes most. */
static void add_rows(struct made *made, uint32_t db, unsigned int first, unsigned int end)
{
	for (unsigned int i = first; i < end; i++) {
		uint64_t at_ns = START_NS + i * STEP_NS;
		struct io_row io = {.created_ns = at_ns - 3 * STEP_NS,
				    .completed_ns = at_ns,
				    .sector = i,
				    .bytes = 4096,
				    .device = 1,
				    .task = db};
		struct tick_row tick = {.time_ns = at_ns, .device = 1, .ios = {i}};
		struct cache_row cache = {.time_ns = at_ns, .task = db, .reads = 1};
		struct loss_row loss = {.from_ns = at_ns, .to_ns = at_ns + 1, .count = 1};
		struct wait_row wait = {.time_ns = at_ns, .duration_ns = 10, .task = db};
		struct access_row access = {.time_ns = at_ns, .bytes = 4096, .task = db};

		if (io.created_ns < made->host.start_ns)
			io.flags |= IO_STARTED_BEFORE;
		CHECK_EQ(trace_writer__append_io(made->w, &io), 0);
		if (i % 10)
			continue;
		tick.interval_ns = at_ns - made->host.start_ns;
		CHECK_EQ(trace_writer__append_tick(made->w, &tick), 0);
		CHECK_EQ(trace_writer__append_cache(made->w, &cache), 0);
		cache.task = 3 - db;
		CHECK_EQ(trace_writer__append_cache(made->w, &cache), 0);
		CHECK_EQ(trace_writer__append_loss(made->w, &loss), 0);
		CHECK_EQ(trace_writer__append_wait(made->w, &wait), 0);
		CHECK_EQ(trace_writer__append_access(made->w, &access), 0);
	}
}

/* The ids of `swapped` traces are others. */
static void add_names(struct made *made, unsigned int swapped)
{
	add_device(made, 1, "sda");
	add_task(made, 1, swapped ? "web" : "db", 7 + swapped, 7 + swapped);
	add_task(made, 2, swapped ? "db" : "web", 8 - swapped, 8 - swapped);
}

static void make(unsigned int i, const char *host, unsigned int first, unsigned int last)
{
	struct made made = begin_at(i, host, first);

	add_names(&made, i % 2);
	add_rows(&made, i % 2 + 1, first + 1, last + 1);
	end(&made, START_NS + last * STEP_NS);
}

/* The rows of each kind, and in *sectors the sum over the IOs. */
static void count_rows(uint64_t counts[ROW_KIND_COUNT], uint64_t *sectors)
{
	struct trace_stream_row row;

	memset(counts, 0, ROW_KIND_COUNT * sizeof(counts[0]));
	*sectors = 0;
	while (trace_stream__next(stream, &row) == 1) {
		counts[row.kind]++;
		if (row.kind == ROW_IO)
			*sectors += row.io->sector;
	}
}

static void files_of_a_flight_recorder_give_each_row_once(void)
{
	uint64_t counts[ROW_KIND_COUNT], sectors;
	unsigned int a, b;

	make(0, "a", 0, 100);
	make(1, "a", 60, 150);
	make(2, "a", 80, IOS);
	REQUIRE(open_stream(3, ALL_KINDS, &all));
	count_rows(counts, &sectors);
	CHECK_EQ(counts[ROW_IO], IOS);
	CHECK_EQ(sectors, IOS * (IOS + 1) / 2);
	CHECK_EQ(counts[ROW_TICK], IOS / 10);
	CHECK_EQ(counts[ROW_LOSS], IOS / 10);
	CHECK_EQ(counts[ROW_WAIT], IOS / 10);
	CHECK_EQ(counts[ROW_ACCESS], IOS / 10);
	CHECK_EQ(counts[ROW_CACHE], 2 * IOS / 10);
	CHECK_EQ(trace_stream__twin_ios(stream), 40 + 70);
	CHECK_EQ(trace_stream__shared_ns(stream, &a, &b), 0);
	close_stream();
}

static void parts_that_follow_each_other_lose_nothing(void)
{
	uint64_t counts[ROW_KIND_COUNT], sectors;

	make(0, "a", 0, 100);
	make(1, "a", 100, IOS);
	REQUIRE(open_stream(2, ALL_KINDS, &all));
	count_rows(counts, &sectors);
	CHECK_EQ(counts[ROW_IO], IOS);
	CHECK_EQ(trace_stream__twin_ios(stream), 0);
	CHECK_EQ(trace_stream__shared_ns(stream, &(unsigned int){0}, &(unsigned int){0}), 0);
	close_stream();
}

static void equal_rows_of_one_trace_stay(void)
{
	uint64_t counts[ROW_KIND_COUNT], sectors;

	for (unsigned int i = 0; i < 2; i++) {
		struct made made = begin_at(i, "a", 0);

		add_names(&made, 0);
		add_rows(&made, 1, 1, 11);
		add_rows(&made, 1, 10, 11);
		end(&made, START_NS + IOS * STEP_NS);
	}
	REQUIRE(open_stream(2, IO, &all));
	count_rows(counts, &sectors);
	CHECK_EQ(counts[ROW_IO], 11);
	close_stream();
}

/* A file of a rotation ends when the next one has begun. */
static void a_seam_is_no_shared_time(void)
{
	uint64_t counts[ROW_KIND_COUNT], sectors;

	for (unsigned int i = 0; i < 2; i++) {
		struct made made = begin_at(i, "a", 100 * i);

		add_names(&made, 0);
		add_io(&made, START_NS + (100 * i + 1) * STEP_NS, 1);
		add_io(&made, START_NS + (100 * i + 101) * STEP_NS, 2 + i);
		add_io(&made, START_NS + (100 * i + 102) * STEP_NS, 2 + i);
		end(&made, START_NS + (100 * i + 102) * STEP_NS);
	}
	REQUIRE(open_stream(2, IO, &all));
	count_rows(counts, &sectors);
	CHECK_EQ(counts[ROW_IO], 6);
	CHECK_EQ(trace_stream__shared_ns(stream, &(unsigned int){0}, &(unsigned int){0}), 0);
	close_stream();
}

static void rows_of_two_hosts_stay(void)
{
	uint64_t counts[ROW_KIND_COUNT], sectors;

	make(0, "a", 0, 100);
	make(1, "b", 0, 100);
	REQUIRE(open_stream(2, IO, &all));
	count_rows(counts, &sectors);
	CHECK_EQ(counts[ROW_IO], 200);
	CHECK_EQ(trace_stream__twin_ios(stream), 0);
	close_stream();
}

/* Two recorders see the IOs at times that differ by some ns. */
static void two_recorders_at_one_time_are_told(void)
{
	uint64_t counts[ROW_KIND_COUNT], sectors;
	unsigned int a, b;
	struct made made;

	make(0, "a", 0, 100);
	made = begin(1, "a", START_NS + 40 * STEP_NS + 7, WALL_NS + 40 * STEP_NS + 7);
	add_names(&made, 0);
	for (uint64_t i = 41; i < 150; i++)
		add_io(&made, START_NS + i * STEP_NS + 7, i);
	end(&made, START_NS + 150 * STEP_NS);
	REQUIRE(open_stream(2, IO, &all));
	count_rows(counts, &sectors);
	CHECK_EQ(counts[ROW_IO], 209);
	CHECK_EQ(trace_stream__shared_ns(stream, &a, &b), 60 * STEP_NS - 7);
	CHECK(a == 0 && b == 1);
	CHECK_EQ(twins_shared_ns(readers[0], readers[1]), 60 * STEP_NS - 7);
	close_stream();
}

int main(void)
{
	make_folder();
	RUN(files_of_a_flight_recorder_give_each_row_once);
	RUN(parts_that_follow_each_other_lose_nothing);
	RUN(equal_rows_of_one_trace_stay);
	RUN(a_seam_is_no_shared_time);
	RUN(rows_of_two_hosts_stay);
	RUN(two_recorders_at_one_time_are_told);
	remove_folder();
	return TEST_RESULT;
}
