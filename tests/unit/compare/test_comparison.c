// SPDX-License-Identifier: MIT
#include <errno.h>
#include <math.h>

#include "base/units.h"
#include "compare/comparison.h"
#include "compare/judge.h"
#include "unit/shared/test.h"

#define ROWS 400u

/* Reads of 4 KiB one millisecond apart; each takes `queue_ns` and then `device_ns`. */
static struct workload_measure *steady(uint64_t queue_ns, uint64_t device_ns, uint64_t bytes)
{
	struct workload_measure *m;

	if (workload_measure__create(0, &m))
		abort();
	for (unsigned int i = 0; i < ROWS; i++) {
		struct io_row row = {.op = IO_OP_READ, .bytes = bytes, .sector = 64ull * i};

		row.created_ns = (i + 1) * NSEC_PER_MSEC;
		row.issued_ns = row.created_ns + queue_ns;
		row.completed_ns = row.issued_ns + device_ns;
		CHECK_EQ(workload_measure__add(m, &row), 0);
	}
	return m;
}

static void ks_by_hand(void)
{
	static struct histogram a, b, empty;

	histogram_init(&a);
	histogram_init(&b);
	histogram_init(&empty);
	histogram_add(&a, 1);
	histogram_add(&a, 2);
	histogram_add(&b, 1);
	histogram_add(&b, 3);
	CHECK(fabs(histogram_ks(&a, &b) - 0.5) < 1e-12);
	CHECK(histogram_ks(&a, &a) == 0);
	CHECK(histogram_ks(&a, &empty) == 1);
	histogram_add(&b, 3);
	histogram_add(&b, 3);
	/* At or below 2: all of a, a quarter of b. */
	CHECK(fabs(histogram_ks(&a, &b) - 0.75) < 1e-12);
}

static void a_workload_is_the_same_as_itself(void)
{
	struct workload_measure *a = steady(100, 900, 4096), *b = steady(100, 900, 4096);
	struct comparison c;

	compare_workloads(workload_measure__finish(a), workload_measure__finish(b), &c);
	CHECK(c.same_workload);
	CHECK(c.figures[FIGURE_BYTES_RATIO] == 1);
	CHECK(c.figures[FIGURE_GAP_KS] == 0);
	CHECK(c.figures[FIGURE_IDC_RATIO_10MS] == 1);
	CHECK(isnan(c.figures[FIGURE_IDC_RATIO_1S]));
	CHECK(c.reasons[FIGURE_IDC_RATIO_1S] != NULL);
	CHECK(strstr(c.summary, "The same workload. Reads take as long in B") != NULL);
	workload_measure__free(a);
	workload_measure__free(b);
}

static void a_slower_device_is_found(void)
{
	struct workload_measure *a = steady(1000, 99000, 4096), *b = steady(1000, 199000, 4096);
	struct comparison c;
	double value;

	compare_workloads(workload_measure__finish(a), workload_measure__finish(b), &c);
	CHECK(c.same_workload);
	CHECK(fabs(c.read.ratio[LATENCY_TOTAL].mean - 2) < 1e-9);
	CHECK(fabs(c.read.ratio[LATENCY_QUEUE].mean - 1) < 1e-9);
	CHECK(isnan(c.write.ratio[LATENCY_TOTAL].mean));
	CHECK(strstr(c.summary, "Reads are x2.00 slower in B") != NULL);
	CHECK(strstr(c.summary, "in the device") != NULL);
	CHECK_EQ(comparison_figure(&c, "latency.read.p99", &value), 0);
	CHECK(fabs(value - 2) < 0.02);
	CHECK_EQ(comparison_figure(&c, "latency.read.queue.mean", &value), 0);
	CHECK(fabs(value - 1) < 1e-9);
	CHECK_EQ(comparison_figure(&c, "latency.read.p98", &value), -ENOENT);
	CHECK_EQ(comparison_figure(&c, "workload.nothing", &value), -ENOENT);
	CHECK_EQ(comparison_figure(&c, "", &value), -ENOENT);
	workload_measure__free(a);
	workload_measure__free(b);
}

/* 1,000 reads: `deep` of 100 are issued with 64 at the device and take 64 times as long as others. */
static struct workload_measure *of_depths(unsigned int deep, uint64_t device_ns)
{
	struct workload_measure *m = NULL;

	CHECK_EQ(workload_measure__create(0, &m), 0);
	for (uint64_t i = 0; m && i < 1000; i++) {
		bool is_deep = i % 100 < deep;
		struct io_row row = {.op = IO_OP_READ,
				     .bytes = 4096,
				     .sector = 8 * i,
				     .created_ns = 1000000 * (i + 1),
				     .depth = is_deep ? 64 : 1};

		row.issued_ns = row.created_ns + 10;
		row.completed_ns = row.issued_ns + (is_deep ? 64 : 1) * device_ns;
		CHECK_EQ(workload_measure__add(m, &row), 0);
	}
	return m;
}

static void another_depth_is_no_other_device(void)
{
	struct workload_measure *a = of_depths(10, 10000), *b = of_depths(60, 10000);
	struct workload_measure *slower = of_depths(60, 20000), *deep = of_depths(100, 10000),
				*shallow = of_depths(0, 10000);
	struct comparison c;

	compare_workloads(workload_measure__finish(a), workload_measure__finish(b), &c);
	CHECK(c.read.ratio[LATENCY_DEVICE].mean > 5);
	CHECK(fabs(c.read.equal_depth.ratio - 1) < 1e-6);
	CHECK(fabs(c.read.equal_depth.share_pct - 50) < 1e-6);
	CHECK(strstr(c.summary,
		     "At equal queue depth (50 % of the reads) device time is x1.00 (geometric mean)") !=
	      NULL);
	CHECK(strstr(c.summary, "Reads: in B the median is x") != NULL);
	compare_workloads(workload_measure__finish(a), workload_measure__finish(slower), &c);
	CHECK(fabs(c.read.equal_depth.ratio - 2) < 1e-6);
	compare_workloads(workload_measure__finish(shallow), workload_measure__finish(deep), &c);
	CHECK(isnan(c.read.equal_depth.ratio));
	CHECK(strstr(c.summary, "does not tell which device is faster") != NULL);
	workload_measure__free(a);
	workload_measure__free(b);
	workload_measure__free(slower);
	workload_measure__free(deep);
	workload_measure__free(shallow);
}

/* `ios` reads at each of the depths 1, 2, 4 ... of `classes` classes. */
static struct workload_measure *of_classes(unsigned int classes, unsigned int ios)
{
	struct workload_measure *m = NULL;

	CHECK_EQ(workload_measure__create(0, &m), 0);
	for (uint64_t i = 0; m && i < classes * ios; i++) {
		struct io_row row = {.op = IO_OP_READ,
				     .bytes = 4096,
				     .sector = 8 * i,
				     .created_ns = 1000000 * (i + 1),
				     .depth = 1u << i % classes};

		row.issued_ns = row.created_ns + 10;
		row.completed_ns = row.issued_ns + 10000;
		CHECK_EQ(workload_measure__add(m, &row), 0);
	}
	return m;
}

static void few_ios_of_a_depth_are_at_equal_depth_too(void)
{
	struct workload_measure *few = of_classes(1, 25), *spread = of_classes(8, 25),
				*half = of_classes(2, 25);
	struct comparison c;

	compare_workloads(workload_measure__finish(few), workload_measure__finish(few), &c);
	CHECK(fabs(c.read.equal_depth.share_pct - 100) < 1e-6);
	CHECK(isnan(c.read.equal_depth.ratio));
	CHECK(!strstr(c.summary, "at the device") && !strstr(c.summary, "equal queue depth"));
	compare_workloads(workload_measure__finish(spread), workload_measure__finish(spread), &c);
	CHECK(fabs(c.read.equal_depth.share_pct - 100) < 1e-6);
	/* A quarter of the reads is comparable, and the mean of it is not known. */
	compare_workloads(c.a, workload_measure__finish(half), &c);
	CHECK(fabs(c.read.equal_depth.share_pct - 25) < 1e-6);
	CHECK(!strstr(c.summary, "at the device") && !strstr(c.summary, "equal queue depth"));
	workload_measure__free(few);
	workload_measure__free(spread);
	workload_measure__free(half);
}

/* Fewer slow IOs, and the others three times as slow. */
static void an_equal_mean_hides_no_other_median(void)
{
	struct workload_measure *a = of_depths(10, 10000), *b = of_depths(2, 32000);
	struct comparison c;

	compare_workloads(workload_measure__finish(a), workload_measure__finish(b), &c);
	CHECK(fabs(c.read.ratio[LATENCY_TOTAL].mean - 1) < 0.02);
	CHECK(strstr(c.summary, "Reads: in B the median is x3.20") != NULL);
	CHECK(strstr(c.summary, "as long in B as in A (mean") == NULL);
	workload_measure__free(a);
	workload_measure__free(b);
}

static void a_faster_queue_is_found(void)
{
	struct workload_measure *a = steady(300000, 100000, 4096), *b = steady(0, 100000, 4096);
	struct comparison c;

	compare_workloads(workload_measure__finish(a), workload_measure__finish(b), &c);
	CHECK(strstr(c.summary, "Reads are x4.00 faster in B") != NULL);
	CHECK(strstr(c.summary, "in the queue before the device") != NULL);
	workload_measure__free(a);
	workload_measure__free(b);
}

static void another_size_is_another_workload(void)
{
	struct workload_measure *a = steady(0, 1000, 4096), *b = steady(0, 1000, 8192);
	struct comparison c;

	compare_workloads(workload_measure__finish(a), workload_measure__finish(b), &c);
	CHECK(!c.same_workload);
	CHECK(c.differs[FIGURE_SIZE_TVD]);
	CHECK(c.differs[FIGURE_BYTES_RATIO]);
	CHECK(!c.differs[FIGURE_GAP_KS]);
	CHECK(c.figures[FIGURE_SIZE_TVD] == 1);
	CHECK(c.figures[FIGURE_BYTES_RATIO] == 2);
	CHECK(strstr(c.summary, "Not the same workload: bytes x2.00") != NULL);
	workload_measure__free(a);
	workload_measure__free(b);
}

static void an_empty_trace_differs_from_a_full_one(void)
{
	struct workload_measure *a, *b = steady(0, 1000, 4096);
	struct comparison c;

	REQUIRE(workload_measure__create(0, &a) == 0);
	compare_workloads(workload_measure__finish(a), workload_measure__finish(b), &c);
	CHECK(!c.same_workload);
	CHECK(isnan(c.figures[FIGURE_IOS_RATIO]));
	CHECK(c.reasons[FIGURE_IOS_RATIO] != NULL);
	compare_workloads(workload_measure__finish(a), workload_measure__finish(a), &c);
	CHECK(c.no_verdict);
	CHECK(!c.same_workload);
	workload_measure__free(a);
	workload_measure__free(b);
}

/* `burst` IOs at once, one each `gap_ns` on average. */
static struct workload_measure *even(unsigned int ios, uint64_t gap_ns, unsigned int burst)
{
	struct workload_measure *m;

	if (workload_measure__create(0, &m))
		abort();
	for (unsigned int i = 0; i < ios; i++) {
		struct io_row row = {.op = IO_OP_READ, .bytes = 4096, .sector = 8ull * i};

		row.created_ns = NSEC_PER_SEC + (uint64_t)(i / burst) * burst * gap_ns;
		CHECK_EQ(workload_measure__add(m, &row), 0);
	}
	return m;
}

static void bursts_near_0_are_not_divided(void)
{
	/* 70,000 IOs of 500 us and 499,875 ns: windows of 1 s hold 2,000 and 2,000 or 2,001. */
	struct workload_measure *a = even(70000, 500000, 1), *b = even(70000, 499875, 1);
	struct comparison c;

	compare_workloads(workload_measure__finish(a), workload_measure__finish(b), &c);
	CHECK(c.a->idc[WINDOW_1S] != c.b->idc[WINDOW_1S]);
	CHECK(c.same_workload);
	CHECK(c.near_zero);
	CHECK(c.figures[FIGURE_IDC_RATIO_1S] == 1);
	CHECK(c.figures[FIGURE_BYTES_IDC_RATIO] == 1);
	workload_measure__free(b);
	/* In groups of 300 the windows hold 2,100 or 1,800: further from even than 2 %. */
	b = even(70000, 500000, 300);
	compare_workloads(workload_measure__finish(a), workload_measure__finish(b), &c);
	CHECK(c.figures[FIGURE_IDC_RATIO_1S] > 2);
	workload_measure__free(b);
	/* In groups of 70 they hold 2,030 or 1,960: within 2 %, though more than 0.1. */
	b = even(70000, 500000, 70);
	compare_workloads(workload_measure__finish(a), workload_measure__finish(b), &c);
	CHECK(c.b->idc[WINDOW_1S] > 2 * NEAR_ZERO_IDC);
	CHECK(c.figures[FIGURE_IDC_RATIO_1S] == 1);
	workload_measure__free(a);
	workload_measure__free(b);
}

static void bursts_against_an_even_load_differ(void)
{
	struct workload_measure *a = even(70000, 500000, 1), *b = even(70000, 500000, 3000);
	struct comparison c;

	compare_workloads(workload_measure__finish(a), workload_measure__finish(b), &c);
	CHECK(!c.same_workload);
	CHECK(c.differs[FIGURE_IDC_RATIO_1S]);
	CHECK(c.differs[FIGURE_BYTES_IDC_RATIO]);
	CHECK(c.figures[FIGURE_IDC_RATIO_1S] > 100);
	workload_measure__free(a);
	workload_measure__free(b);
}

/* Seconds of 20 IOs of 64 KiB; one in eight, as `seed` draws them, has 200. */
static struct workload_measure *bursty(unsigned int seconds, unsigned int seed)
{
	struct workload_measure *m;
	uint64_t state = seed;

	if (workload_measure__create(0, &m))
		abort();
	for (uint64_t s = 0; s < seconds; s++) {
		state = state * 6364136223846793005ull + 1442695040888963407ull;
		for (uint64_t i = 0, ios = state >> 61 ? 20 : 200; i < ios; i++) {
			struct io_row row = {.op = IO_OP_READ, .bytes = 65536, .sector = 128 * i};

			row.created_ns = (s + 1) * NSEC_PER_SEC + i * NSEC_PER_MSEC;
			CHECK_EQ(workload_measure__add(m, &row), 0);
		}
	}
	return m;
}

/* Of few windows, the ratio of two variances is beyond 2 by chance. */
static void bursts_of_few_windows_are_not_judged(void)
{
	struct comparison c;
	unsigned int beyond = 0;

	for (unsigned int seed = 1; seed < 40; seed += 2) {
		struct workload_measure *a = bursty(11, seed), *b = bursty(11, seed + 1);

		compare_with_profile(workload_measure__finish(a), workload_measure__finish(b), &c);
		beyond += c.differs[FIGURE_IDC_RATIO_1S];
		compare_workloads(c.a, c.b, &c);
		CHECK(isnan(c.figures[FIGURE_IDC_RATIO_1S]) && !c.differs[FIGURE_IDC_RATIO_1S]);
		CHECK(isnan(c.figures[FIGURE_BYTES_IDC_RATIO]));
		CHECK(!c.differs[FIGURE_BYTES_IDC_RATIO]);
		CHECK(strstr(c.reasons[FIGURE_BYTES_IDC_RATIO], "30 windows of 1 s in both"));
		workload_measure__free(a);
		workload_measure__free(b);
	}
	CHECK(beyond > 4);
}

/* fstrim: a discard of 1 GiB in a few seconds, and no byte is moved. */
static void what_a_discard_names_is_not_moved(void)
{
	static const enum io_op ops[] = {IO_OP_DISCARD, IO_OP_WRITE_ZEROES, IO_OP_SECURE_ERASE};
	struct workload_measure *a = even(70000, 500000, 1), *b = even(70000, 500000, 1);
	struct io_row last = {.op = IO_OP_READ, .bytes = 4096, .created_ns = 38 * NSEC_PER_SEC};
	struct comparison c;
	double value;

	for (unsigned int i = 0; i < 3; i++) {
		struct io_row row = {.op = (uint8_t)ops[i],
				     .bytes = 1ull << 30,
				     .created_ns = NSEC_PER_SEC + 70000 * 500000ull};

		CHECK_EQ(workload_measure__add(b, &row), 0);
	}
	CHECK_EQ(workload_measure__add(a, &last), 0);
	CHECK_EQ(workload_measure__add(b, &last), 0);
	compare_workloads(workload_measure__finish(a), workload_measure__finish(b), &c);
	CHECK(c.figures[FIGURE_BYTES_RATIO] == 1);
	CHECK(fabs(c.figures[FIGURE_BYTES_IDC_RATIO] - 1) < 0.01);
	CHECK_EQ(comparison_figure(&c, "throughput.bytes_per_s", &value), 0);
	CHECK(fabs(value - 1) < 0.01);
	CHECK_EQ(c.b->ios, 70004);
	workload_measure__free(a);
	workload_measure__free(b);
}

/* 1,000 IOs, of which one in 20 is of `op`; other ones are reads and writes. */
static struct workload_measure *of_op(enum io_op op)
{
	struct workload_measure *m = NULL;

	CHECK_EQ(workload_measure__create(0, &m), 0);
	for (uint64_t i = 0; m && i < 1000; i++) {
		struct io_row row = {.op = (uint8_t)(i % 20 ? i % 2 : op),
				     .bytes = i % 20 ? 4096 : 0,
				     .sector = 8 * i,
				     .created_ns = 1000000 * (i + 1)};

		CHECK_EQ(workload_measure__add(m, &row), 0);
	}
	return m;
}

static void another_operation_is_another_workload(void)
{
	struct workload_measure *flushes = of_op(IO_OP_FLUSH), *discards = of_op(IO_OP_DISCARD),
				*writes = of_op(IO_OP_WRITE), *reads = of_op(IO_OP_READ), *none;
	const struct workload_figures *a = workload_measure__finish(flushes);
	struct comparison c;
	double value;

	compare_workloads(a, workload_measure__finish(discards), &c);
	CHECK(!c.same_workload && c.differs[FIGURE_OP_TVD]);
	CHECK(!strcmp(c.summary, "Not the same workload: other operations by 0.05 of 1. Latency "
				 "cannot be compared: neither has reads or writes with a known "
				 "latency."));
	CHECK_EQ(comparison_figure(&c, "workload.op_tvd", &value), 0);
	CHECK(fabs(value - 0.05) < 1e-9);
	compare_workloads(a, workload_measure__finish(writes), &c);
	CHECK(fabs(c.figures[FIGURE_OP_TVD] - 0.05) < 1e-9);
	/* More reads instead of writes are the share of reads. */
	compare_workloads(workload_measure__finish(reads), c.b, &c);
	CHECK(c.differs[FIGURE_READ_IOS_DELTA_PP] && c.figures[FIGURE_OP_TVD] == 0);
	REQUIRE(workload_measure__create(0, &none) == 0);
	compare_workloads(a, workload_measure__finish(none), &c);
	CHECK(fabs(c.figures[FIGURE_OP_TVD] - 1) < 1e-9);
	compare_workloads(c.b, a, &c);
	CHECK(fabs(c.figures[FIGURE_OP_TVD] - 1) < 1e-9);
	workload_measure__free(flushes);
	workload_measure__free(discards);
	workload_measure__free(writes);
	workload_measure__free(reads);
	workload_measure__free(none);
}

static void a_queue_that_a_replay_piled_up_is_named(void)
{
	struct workload_measure *a = steady(1000, 99000, 4096), *slow, *b;
	struct comparison c;

	/* 20 ms each, one a millisecond: 20 are in flight. */
	slow = steady(1000, 20 * NSEC_PER_MSEC, 4096);
	compare_workloads(workload_measure__finish(a), workload_measure__finish(slow), &c);
	CHECK_EQ(c.a->read.in_flight_max, 1);
	CHECK_EQ(c.b->read.in_flight_max, 21);
	CHECK(strstr(c.summary, "At most 1 of the reads were in flight in A, but 21 in B"));
	CHECK(strstr(c.summary, "--mode dependent"));
	b = steady(1000, 5 * NSEC_PER_MSEC, 4096);
	compare_workloads(c.a, workload_measure__finish(b), &c);
	CHECK(!strstr(c.summary, "in flight"));
	workload_measure__free(a);
	workload_measure__free(b);
	workload_measure__free(slow);
}

static void latencies_of_few_steps_of_the_clock_are_told(void)
{
	struct workload_measure *a = steady(1000, 99000, 4096), *b = steady(1000, 99000, 4096);
	struct comparison c;

	workload_measure__set_resolution(a, 1);
	workload_measure__set_resolution(b, 10000);
	compare_workloads(workload_measure__finish(a), workload_measure__finish(b), &c);
	CHECK(!strstr(c.summary, "steps"));
	workload_measure__set_resolution(b, NSEC_PER_MSEC);
	compare_workloads(workload_measure__finish(a), workload_measure__finish(b), &c);
	CHECK(strstr(c.summary,
		     " The times of B are in steps of 1 ms, and most of its reads take less than 5 "
		     "steps: their ratios say little."));
	compare_workloads(workload_measure__finish(b), workload_measure__finish(a), &c);
	CHECK(strstr(c.summary, " The times of A are in steps of 1 ms"));
	CHECK(!strstr(c.summary, "of its gaps"));
	c.differs[FIGURE_GAP_KS] = true;
	judge_gap_resolution(&c);
	CHECK(strstr(c.summary, " The times of A are in steps of 1 ms, and most of its gaps are "
				"shorter than 5 steps."));
	workload_measure__free(a);
	workload_measure__free(b);
}

static void times_of_a_replay_that_waits_say_nothing_of_the_workload(void)
{
	struct workload_measure *a = steady(1000, 99000, 4096), *b;
	struct comparison c;

	if (workload_measure__create(0, &b))
		abort();
	for (unsigned int i = 0; i < ROWS; i++) {
		struct io_row row = {.op = IO_OP_READ, .bytes = 4096, .sector = 64ull * i};

		row.created_ns = (i + 1) * 100000;
		row.issued_ns = row.created_ns + 1000;
		row.completed_ns = row.issued_ns + 50000;
		CHECK_EQ(workload_measure__add(b, &row), 0);
	}
	compare_workloads(workload_measure__finish(a), workload_measure__finish(b), &c);
	CHECK(!c.same_workload);
	workload_measure__set_follows_device(b);
	compare_workloads(c.a, c.b, &c);
	CHECK(c.same_workload);
	CHECK(strstr(c.summary,
		     "The same IOs; their times follow the device. Reads are x1.96 faster"));
	CHECK(isnan(c.figures[FIGURE_GAP_KS]) && c.reasons[FIGURE_GAP_KS]);
	/* What a profile makes is alike, not the same. */
	workload_measure__set_generated(b);
	compare_workloads(c.a, c.b, &c);
	CHECK(c.same_workload);
	CHECK(strstr(c.summary, "The same workload, generated by a profile; its times follow the "
				"device. Reads are x1.96 faster"));
	CHECK(!strstr(c.summary, "The same IOs"));
	workload_measure__free(a);
	workload_measure__free(b);
}

int main(void)
{
	RUN(ks_by_hand);
	RUN(a_workload_is_the_same_as_itself);
	RUN(a_slower_device_is_found);
	RUN(another_depth_is_no_other_device);
	RUN(few_ios_of_a_depth_are_at_equal_depth_too);
	RUN(an_equal_mean_hides_no_other_median);
	RUN(a_faster_queue_is_found);
	RUN(another_size_is_another_workload);
	RUN(an_empty_trace_differs_from_a_full_one);
	RUN(bursts_near_0_are_not_divided);
	RUN(bursts_against_an_even_load_differ);
	RUN(bursts_of_few_windows_are_not_judged);
	RUN(what_a_discard_names_is_not_moved);
	RUN(another_operation_is_another_workload);
	RUN(a_queue_that_a_replay_piled_up_is_named);
	RUN(latencies_of_few_steps_of_the_clock_are_told);
	RUN(times_of_a_replay_that_waits_say_nothing_of_the_workload);
	return TEST_RESULT;
}
