/* SPDX-License-Identifier: MIT */
/* Computed applications, in which it is known who waits for what, and profiles of them. */
#ifndef BLKREEL_TESTS_UNIT_PROFILE_CLOSED_LOOP_APPLICATIONS_H
#define BLKREEL_TESTS_UNIT_PROFILE_CLOSED_LOOP_APPLICATIONS_H

#include "unit/profile/profiles.h"

#include "base/units.h"
#include "workload/dependence/waits.h"

#define IOS_MAX 20000u
#define US	NSEC_PER_USEC

static struct io_row rows[IOS_MAX];
static uint32_t row_count;

enum spread {
	CONSTANT,
	UNIFORM,     /* from 0 to twice the mean */
	EXPONENTIAL, /* as sums of chances */
};

struct application {
	uint32_t tasks, window; /* of each task */
	bool waits_for_all;	/* of a window, or each IO for one */
	uint64_t latency_us, think_us;
	enum spread latency, think;
	uint32_t pause_every; /* IOs, after which it thinks think_us; else 3 us */
	uint32_t ios;
};

static uint64_t draw_ns(struct prng *r, enum spread spread, uint64_t mean_us)
{
	uint64_t ns = 0;

	if (spread == CONSTANT)
		return mean_us * US;
	if (spread == UNIFORM)
		return prng_below(r, 2 * mean_us * US) + 1;
	while (prng_below(r, 64))
		ns += mean_us * US / 63;
	return ns + prng_below(r, mean_us * US / 63) + 1;
}

static uint64_t think_ns(struct prng *r, const struct application *app, uint32_t done)
{
	if (app->pause_every && done % app->pause_every)
		return 3 * US;
	return draw_ns(r, app->think, app->think_us);
}

static void add_io(struct prng *r, const struct application *app, uint32_t task, uint64_t at_ns)
{
	rows[row_count++] =
		(struct io_row){.created_ns = at_ns,
				.completed_ns = at_ns + draw_ns(r, app->latency, app->latency_us),
				.device = 1,
				.task = task + 1,
				.op = IO_OP_READ,
				.sector = prng_below(r, 10000) * 8,
				.bytes = 4096};
}

/* The task submits all of its window, and again when all have ended. */
static uint64_t batch(struct prng *r, const struct application *app, uint32_t task, uint64_t at_ns)
{
	uint64_t last_ns = 0;

	for (uint32_t i = 0; i < app->window && row_count < app->ios; i++) {
		add_io(r, app, task, at_ns + 2 * US * i);
		if (rows[row_count - 1].completed_ns > last_ns)
			last_ns = rows[row_count - 1].completed_ns;
	}
	return last_ns + think_ns(r, app, 0);
}

static int by_time(const void *a, const void *b)
{
	const struct io_row *left = a, *right = b;

	return left->created_ns < right->created_ns ? -1 : left->created_ns > right->created_ns;
}

static void run_application(const struct application *app)
{
	uint32_t slots = app->tasks * (app->waits_for_all ? 1 : app->window);
	uint64_t next_ns[256];
	struct prng r;

	prng_seed(&r, 7);
	row_count = 0;
	for (uint32_t i = 0; i < slots; i++)
		next_ns[i] = i * US;
	while (row_count < app->ios) {
		uint32_t first = 0;

		for (uint32_t i = 1; i < slots; i++)
			if (next_ns[i] < next_ns[first])
				first = i;
		if (app->waits_for_all) {
			next_ns[first] = batch(&r, app, first, next_ns[first]);
			continue;
		}
		add_io(&r, app, first % app->tasks, next_ns[first]);
		next_ns[first] = rows[row_count - 1].completed_ns + think_ns(&r, app, row_count);
	}
	qsort(rows, row_count, sizeof(rows[0]), by_time);
}

/* Of the rows, whose submitters are known from the `first_known` one on. */
static struct profile *build_of_known(uint32_t first_known)
{
	struct profile_extent extent = {.ios = row_count,
					.duration_ns = rows[row_count - 1].created_ns,
					.end_sector = 100000};
	const struct trace_task task = {.comm = "application"};
	struct profile_builder *builder;
	struct io_wait waited;
	struct waits *waits;
	struct profile *p = NULL;

	if (profile_builder__create(&extent, &builder) || waits__create(0, &waits))
		abort();
	for (uint32_t i = 0; i < row_count; i++) {
		bool known = i >= first_known;

		if (known)
			CHECK_EQ(waits__add(waits, &rows[i], &task, &waited), 1);
		CHECK_EQ(profile_builder__add(builder, &rows[i], &task, known ? &waited : NULL), 0);
	}
	CHECK_EQ(profile_builder__finish(builder, &p), 0);
	profile_builder__free(builder);
	waits__free(waits);
	return p;
}

static struct profile *build_of_rows(void)
{
	return build_of_known(0);
}

static void check_near(const char *name, const char *what, double got, double wanted, double ratio)
{
	if (got > wanted / ratio && got < wanted * ratio)
		return;
	printf("# %s: %s is %.4f, not %.4f\n", name, what, got, wanted);
	test_failures_in_case++;
}

#endif
