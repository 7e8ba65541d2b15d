// SPDX-License-Identifier: MIT
/* The verdict about several runs of each side. */
#include <string.h>

#include "base/units.h"
#include "compare/judge.h"
#include "compare/judge_repetitions.h"
#include "compare/repetitions.h"
#include "unit/shared/test.h"

#define RUNS 3u
#define IOS  400u

struct side {
	struct workload_measure *measures[RUNS];
	struct missing_rows missing;
	struct run_set set;
};

static void add_figures(struct side *side, struct workload_measure *m)
{
	unsigned int run = side->set.count++;

	side->measures[run] = m;
	side->set.figures[run] = workload_measure__finish(m);
	side->set.missing[run] = &side->missing;
}

static void add_run_without_ios(struct side *side)
{
	struct workload_measure *m;

	if (workload_measure__create(0, &m))
		abort();
	add_figures(side, m);
}

/* A run: reads 1 ms apart, or `at_once` of them every `at_once` ms; IO i of them takes took_us(i, us). */
static void add_run(struct side *side, unsigned int at_once, uint64_t us,
		    uint64_t (*took_us)(unsigned int i, uint64_t us))
{
	struct workload_measure *m;

	if (workload_measure__create(0, &m))
		abort();
	for (unsigned int i = 0; i < IOS; i++) {
		struct io_row row = {
			.op = IO_OP_READ, .bytes = 4096, .sector = 64ull * i, .depth = at_once};

		row.created_ns = (1 + i / at_once * at_once) * NSEC_PER_MSEC;
		row.issued_ns = row.created_ns + 1000;
		row.completed_ns = row.created_ns + took_us(i, us) * NSEC_PER_USEC;
		CHECK_EQ(workload_measure__add(m, &row), 0);
	}
	add_figures(side, m);
}

static void free_side(struct side *side)
{
	for (unsigned int i = 0; i < side->set.count; i++)
		workload_measure__free(side->measures[i]);
}

static uint64_t evenly(unsigned int i, uint64_t us)
{
	(void)i;
	return us;
}

static void judge(struct side *a, struct side *b, struct repetitions *r)
{
	CHECK_EQ(repetitions_compare(&a->set, &b->set, r), 0);
	judge_repetitions(r);
}

#define CHECK_SAYS(r, text)                                            \
	do {                                                           \
		CHECK(strstr((r)->typical.summary, text) != NULL);     \
		if (!strstr((r)->typical.summary, text))               \
			printf("# says '%s'\n", (r)->typical.summary); \
	} while (0)

/* Runs of A with 100 us each, and runs of B with these. */
static enum latency_verdict verdict_of(uint64_t first_us, uint64_t second_us, uint64_t third_us)
{
	struct side a = {0}, b = {0};
	struct repetitions r;
	enum latency_verdict verdict;

	for (unsigned int i = 0; i < RUNS; i++)
		add_run(&a, 1, 100, evenly);
	add_run(&b, 1, first_us, evenly);
	add_run(&b, 1, second_us, evenly);
	add_run(&b, 1, third_us, evenly);
	judge(&a, &b, &r);
	verdict = r.read;
	repetitions__release(&r);
	free_side(&a);
	free_side(&b);
	return verdict;
}

static void means_are_equal_only_if_the_noise_is_small(void)
{
	CHECK_EQ(verdict_of(98, 100, 103), LATENCY_AS_LONG);
	CHECK_EQ(verdict_of(60, 100, 160), LATENCY_WITHIN_NOISE);
	CHECK_EQ(verdict_of(90, 104, 130), LATENCY_WITHIN_NOISE);
	CHECK_EQ(verdict_of(102, 104, 104), LATENCY_AS_LONG);
	CHECK_EQ(verdict_of(102, 104, 140), LATENCY_SLOWER);
	CHECK_EQ(verdict_of(70, 97, 98), LATENCY_FASTER);
}

static uint64_t one_in_twenty_is_slow(unsigned int i, uint64_t us)
{
	return i % 20 ? us : 100 * us;
}

static uint64_t in_turn(unsigned int i, uint64_t us)
{
	return (i % 64 + 1) * us;
}

static void check_summary(struct side *a, struct side *b, const char *const *texts)
{
	struct repetitions r;

	judge(a, b, &r);
	for (; *texts; texts++)
		CHECK_SAYS(&r, *texts);
	repetitions__release(&r);
	free_side(a);
	free_side(b);
}

static void a_mean_that_few_make_is_not_all(void)
{
	static const char *const few[] = {
		"Reads: in B the median is x0.50 (100 us to 50 us), "
		"the mean x2.98 (100 us to 298 us; p99 B / A x50.00), in the device. At equal queue depth "
		"(100 % of the reads) device time is x0.62",
		NULL};
	static const char *const noise[] = {"the mean x1.01 (no difference beyond the noise of the "
					    "runs; 100 us to 101 us, 95 % interval x0.59 to x1.78",
					    NULL};
	struct side a = {0}, b = {0}, base = {0}, noisy = {0};

	add_run(&a, 1, 100, evenly);
	add_run(&b, 1, 50, one_in_twenty_is_slow);
	add_run(&b, 1, 50, one_in_twenty_is_slow);
	check_summary(&a, &b, few);
	for (unsigned int i = 0; i < RUNS; i++)
		add_run(&base, 1, 100, evenly);
	add_run(&noisy, 1, 10, one_in_twenty_is_slow);
	add_run(&noisy, 1, 17, one_in_twenty_is_slow);
	add_run(&noisy, 1, 30, one_in_twenty_is_slow);
	check_summary(&base, &noisy, noise);
}

static void ios_that_a_replay_piles_up_are_named(void)
{
	static const char *const piled[] = {
		"slower in B (mean ",
		"; p99 B / A x6",
		"Hardly ever were as many IOs at the device in A and B",
		"At most 1 of the reads were in flight in A, but 64 in B",
		"'replay --mode dependent'",
		NULL};
	struct side a = {0}, b = {0};

	for (unsigned int i = 0; i < 2; i++) {
		add_run(&a, 1, 100, evenly);
		add_run(&b, 64, 100, in_turn);
	}
	check_summary(&a, &b, piled);
}

static void check_no_verdict(struct side *a, struct side *b, const char *reason)
{
	struct repetitions r;

	judge(a, b, &r);
	CHECK(r.typical.no_verdict && !r.typical.same_workload);
	CHECK_TEXT(r.typical.no_verdict_reason, reason);
	CHECK_SAYS(&r, reason);
	repetitions__release(&r);
}

static void the_reason_of_no_verdict_is_that_of_the_runs_without_one(void)
{
	struct side a = {0}, b = {0}, empty = {0};

	for (unsigned int i = 0; i < 2; i++)
		add_run_without_ios(&empty);
	check_no_verdict(&empty, &empty, JUDGE_LACKS_IOS);
	add_run(&a, 1, 100, evenly);
	add_run(&b, 1, 100, evenly);
	add_run_without_ios(&a);
	add_run_without_ios(&b);
	check_no_verdict(&a, &b, "a run of A and a run of B have no IO.");
	a.missing.lost[LOSS_IO_RING] = a.missing.rows[ROW_IO] = IOS;
	check_no_verdict(&a, &b,
			 "more than 1 % of the IOs of a run are missing, and the figures are of "
			 "the others.");
	free_side(&a);
	free_side(&b);
	free_side(&empty);
}

int main(void)
{
	RUN(the_reason_of_no_verdict_is_that_of_the_runs_without_one);
	RUN(means_are_equal_only_if_the_noise_is_small);
	RUN(a_mean_that_few_make_is_not_all);
	RUN(ios_that_a_replay_piles_up_are_named);
	return TEST_RESULT;
}
