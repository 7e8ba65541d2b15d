// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/units.h"
#include "unit/shared/test.h"
#include "workload/figures/measure.h"
#include "workload/figures/recent_ends.h"
#include "workload/row_order.h"

static struct io_row io(uint64_t created_ms, enum io_op op, uint64_t sector, uint64_t sectors)
{
	return (struct io_row){.created_ns = created_ms * NSEC_PER_MSEC,
			       .op = (uint8_t)op,
			       .sector = sector,
			       .bytes = sectors * SECTOR_BYTES,
			       .device = 1};
}

static struct workload_measure *measure_of(const struct io_row *rows, unsigned int count,
					   unsigned int block_offset_sectors)
{
	struct workload_measure *m;

	if (workload_measure__create(block_offset_sectors, &m))
		abort();
	for (unsigned int i = 0; i < count; i++)
		CHECK_EQ(workload_measure__add(m, &rows[i]), 0);
	return m;
}

/* Whole windows of 10 ms: 3 and 1 IOs, mean 2, variance 1; the IO at 20 ms opens a third. */
static void dispersion_of_two_windows(void)
{
	struct io_row rows[] = {io(100, 0, 0, 8), io(101, 0, 8, 8), io(102, 0, 16, 8),
				io(112, 0, 24, 8), io(120, 0, 32, 8)};
	struct workload_measure *m = measure_of(rows, 5, 0);
	const struct workload_figures *f = workload_measure__finish(m);

	CHECK_EQ(f->duration_ns, 20 * NSEC_PER_MSEC);
	CHECK_EQ(f->windows[WINDOW_10MS], 2);
	CHECK(fabs(f->idc[WINDOW_10MS] - 0.5) < 1e-12);
	CHECK(isnan(f->idc[WINDOW_1S]));
	CHECK(isnan(f->idc[WINDOW_60S]));
	CHECK_EQ(f->peak_10ms_ios, 3);
	CHECK_EQ(f->gaps.count, 4);
	CHECK_EQ(f->gaps.min, NSEC_PER_MSEC);
	CHECK_EQ(f->gaps.max, 10 * NSEC_PER_MSEC);
	workload_measure__free(m);
}

/* Windows of 1 s: 2, 0, 4 IOs; mean 2, variance 8/3. Empty windows count. */
static void dispersion_counts_empty_windows(void)
{
	struct io_row rows[] = {io(0, 0, 0, 8),	   io(1, 0, 0, 8),    io(2000, 0, 0, 8),
				io(2001, 0, 0, 8), io(2002, 0, 0, 8), io(2999, 0, 0, 8),
				io(3000, 0, 0, 8)};
	struct workload_measure *m = measure_of(rows, 7, 0);
	const struct workload_figures *f = workload_measure__finish(m);

	CHECK_EQ(f->windows[WINDOW_1S], 3);
	CHECK(fabs(f->idc[WINDOW_1S] - 4.0 / 3) < 1e-12);
	workload_measure__free(m);
}

static void sequential_requests_begin_where_the_same_op_ended(void)
{
	struct io_row rows[] = {
		io(0, IO_OP_WRITE, 0, 8),   io(1, IO_OP_WRITE, 8, 8),  /* sequential */
		io(2, IO_OP_READ, 16, 8),			       /* another op */
		io(3, IO_OP_WRITE, 16, 8),			       /* sequential */
		io(4, IO_OP_WRITE, 16, 8),			       /* again: not */
		io(5, IO_OP_WRITE, 100, 8), io(6, IO_OP_WRITE, 24, 8), /* sequential */
		io(7, IO_OP_FLUSH, 0, 0),
	};
	struct workload_measure *m = measure_of(rows, 8, 0);
	const struct workload_figures *f = workload_measure__finish(m);

	CHECK_EQ(f->data_ios, 7);
	CHECK_EQ(f->sequential_ios, 3);
	CHECK_EQ(f->op_ios[IO_OP_WRITE], 6);
	CHECK_EQ(f->op_ios[IO_OP_FLUSH], 1);
	workload_measure__free(m);
}

static void old_run_ends_are_dropped(void)
{
	struct recent_ends ends = {0};

	recent_ends_add(&ends, -1, 5, 0);
	for (uint64_t i = 1; i < RECENT_ENDS; i++)
		recent_ends_add(&ends, -1, 1000 * i, 0);
	CHECK_EQ(recent_ends_rank(&ends, 5), RECENT_ENDS - 1);
	recent_ends_add(&ends, -1, 7, 0);
	CHECK_EQ(recent_ends_rank(&ends, 5), -1);
	CHECK_EQ(recent_ends_rank(&ends, 7), 0);
}

/* From sector 63 on, eight sectors are one block; cut at 0 they would touch two. */
static void footprint_respects_the_offset(void)
{
	struct io_row rows[] = {io(0, IO_OP_READ, 63, 8), io(1, IO_OP_READ, 71, 8),
				io(2, IO_OP_READ, 63, 8)};
	struct workload_measure *at_7 = measure_of(rows, 3, 7), *at_0 = measure_of(rows, 3, 0);

	CHECK_EQ(workload_measure__finish(at_7)->mrc.footprint_blocks, 2);
	CHECK_EQ(workload_measure__finish(at_0)->mrc.footprint_blocks, 3);
	workload_measure__free(at_7);
	workload_measure__free(at_0);
}

static void huge_requests_are_bounded(void)
{
	struct io_row row = io(0, IO_OP_WRITE, 0, 0);
	uint64_t first, count;

	row.bytes = 1ull << 50;
	CHECK(workload_blocks(&row, 0, &first, &count));
	CHECK_EQ(count, BLOCKS_PER_IO_MAX);
	row.sector = UINT64_MAX;
	CHECK(!workload_blocks(&row, 0, &first, &count));
	row = io(0, IO_OP_DISCARD, 0, 8);
	CHECK(!workload_blocks(&row, 0, &first, &count));
}

static void latency_is_split_into_queue_and_device(void)
{
	struct io_row row = io(1, IO_OP_READ, 0, 8);
	struct workload_measure *m;
	const struct workload_figures *f;

	row.issued_ns = row.created_ns + 40;
	row.completed_ns = row.created_ns + 100;
	m = measure_of(&row, 1, 0);
	f = workload_measure__finish(m);
	CHECK_EQ(f->read.total.max, 100);
	CHECK_EQ(f->read.queue.max, 40);
	CHECK_EQ(f->read.device.max, 60);
	CHECK_EQ(f->write.total.count, 0);
	workload_measure__free(m);
}

/* The times of a trace count from its first IO: an issue that was not seen is 0, as is its creation. */
static void an_unknown_issue_has_no_parts(void)
{
	struct io_row row = io(0, IO_OP_READ, 0, 8);
	struct workload_measure *m;
	const struct workload_figures *f;

	row.completed_ns = 100;
	m = measure_of(&row, 1, 0);
	f = workload_measure__finish(m);
	CHECK_EQ(f->read.total.max, 100);
	CHECK_EQ(f->read.queue.count, 0);
	CHECK_EQ(f->read.device.count, 0);
	workload_measure__free(m);
}

static void flush_machinery_is_left_out(void)
{
	struct io_row row = io(0, IO_OP_FLUSH, 0, 0);
	struct workload_measure *m;

	row.flags = IO_FLUSH_MACHINERY;
	m = measure_of(&row, 1, 0);
	CHECK_EQ(workload_measure__finish(m)->ios, 0);
	workload_measure__free(m);
}

static void size_distance(void)
{
	struct size_table a = {0}, b = {0}, empty = {0};

	CHECK_EQ(size_table_add(&a, 4096, 1), 0);
	CHECK_EQ(size_table_add(&a, 8192, 1), 0);
	CHECK_EQ(size_table_add(&b, 4096, 2), 0);
	CHECK(fabs(size_table_distance(&a, &b) - 0.5) < 1e-12);
	CHECK(size_table_distance(&a, &a) == 0);
	CHECK(size_table_distance(&a, &empty) == 1);
	CHECK(size_table_distance(&empty, &empty) == 0);
	size_table_release(&a);
	size_table_release(&b);
}

static void rows_come_out_in_order(void)
{
	const unsigned int count = ROW_ORDER_WINDOW + 1000;
	struct row_order *order;
	struct io_row row = {0}, next;
	uint64_t last = 0, seen = 0;

	REQUIRE(row_order__create(ROW_IO, &order) == 0);
	for (unsigned int i = 0; i < count; i++) {
		row.created_ns = (i ^ 0x3ff) + 1;
		if (!row_order__push(order, &row, &next))
			continue;
		CHECK(next.created_ns >= last);
		last = next.created_ns;
		seen++;
	}
	while (row_order__drain(order, &next)) {
		CHECK(next.created_ns >= last);
		last = next.created_ns;
		seen++;
	}
	CHECK_EQ(seen, count);
	CHECK_EQ(row_order__late_rows(order), 0);
	row_order__free(order);
}

/* Of a batch with one time, or of coarse times, rows come in order of completion. */
static void rows_of_one_time_come_out_in_order_of_issue(void)
{
	static const struct io_row completed[] = {
		{.created_ns = 1000, .issued_ns = 1000, .depth = 3, .sector = 16},
		{.created_ns = 1000, .issued_ns = 2000, .depth = 1, .sector = 24},
		{.created_ns = 1000, .issued_ns = 1000, .depth = 1, .sector = 0},
		{.created_ns = 1000, .issued_ns = 1000, .depth = 2, .sector = 8},
		{.created_ns = 1000, .issued_ns = 3000, .depth = 1, .sector = 32},
		{.created_ns = 1000, .issued_ns = 3000, .depth = 1, .sector = 40},
	};
	struct row_order *order;
	struct io_row next;
	uint64_t sector = 0;

	REQUIRE(row_order__create(ROW_IO, &order) == 0);
	for (size_t i = 0; i < sizeof(completed) / sizeof(completed[0]); i++)
		CHECK_EQ(row_order__push(order, &completed[i], &next), 0);
	for (; row_order__drain(order, &next); sector += 8)
		CHECK_EQ(next.sector, sector);
	CHECK_EQ(sector, 48);
	row_order__free(order);
}

static void a_row_that_is_too_late_is_counted(void)
{
	struct row_order *order;
	struct io_row row = {0}, next;

	REQUIRE(row_order__create(ROW_IO, &order) == 0);
	for (unsigned int i = 0; i < ROW_ORDER_WINDOW + 10; i++) {
		row.created_ns = 1000 + i;
		row_order__push(order, &row, &next);
	}
	row.created_ns = 1;
	CHECK_EQ(row_order__push(order, &row, &next), 1);
	CHECK_EQ(next.created_ns, 1009);
	CHECK_EQ(row_order__late_rows(order), 1);
	row_order__free(order);
}

int main(void)
{
	RUN(dispersion_of_two_windows);
	RUN(dispersion_counts_empty_windows);
	RUN(sequential_requests_begin_where_the_same_op_ended);
	RUN(old_run_ends_are_dropped);
	RUN(footprint_respects_the_offset);
	RUN(huge_requests_are_bounded);
	RUN(latency_is_split_into_queue_and_device);
	RUN(an_unknown_issue_has_no_parts);
	RUN(flush_machinery_is_left_out);
	RUN(size_distance);
	RUN(rows_come_out_in_order);
	RUN(rows_of_one_time_come_out_in_order_of_issue);
	RUN(a_row_that_is_too_late_is_counted);
	return TEST_RESULT;
}
