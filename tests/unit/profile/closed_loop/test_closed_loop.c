// SPDX-License-Identifier: MIT
/*
 * The closed loop of a profile: an application is computed, in which it is known who waits for what.
 * A profile is built of it, and what is generated is replayed on computed devices beside the
 * application. No clock and no IO: every figure is exact.
 */
#include <errno.h>

#include "profile/build/closed.h"
#include "profile/closed_loop/closed_loop.h"
#include "profile/closed_values.h"
#include "profile/operations/operations.h"
#include "unit/profile/closed_loop/applications.h"
#include "unit/profile/closed_loop/simulated.h"

/* Sources ------------------------------------------------------------------------------------ */

struct source {
	struct replay_source base;
	struct closed_loop *loop; /* NULL: the rows */
	uint32_t at;
};

static int next_io(struct replay_source *base, struct replay_io *io)
{
	struct source *s = (struct source *)base;
	struct closed_row row;

	if (s->loop && closed_loop__next(s->loop, &row) <= 0)
		return 0;
	if (!s->loop && s->at == row_count)
		return 0;
	if (!s->loop)
		row.row = rows[s->at++];
	CHECK(row.row.completed_ns > row.row.created_ns && row.row.task);
	*io = (struct replay_io){.due_ns = row.row.created_ns,
				 .done_ns = row.row.completed_ns,
				 .offset_bytes = row.row.sector * 512,
				 .length_bytes = row.row.bytes,
				 .task = row.row.task,
				 .op = REPLAY_READ};
	return 1;
}

static const struct replay_source_ops source_ops = {.next = next_io};

static double seconds(const struct profile *p, uint64_t factor, double *depth)
{
	struct source s = {.base = {&source_ops}};
	uint64_t ns;

	if (p && closed_loop__create(p, 1, 0, &s.loop))
		abort();
	ns = simulated_replay(&s.base, factor, depth);
	closed_loop__free(s.loop);
	return (double)ns / 1e9;
}

static void check_application(const char *name, const struct application *app)
{
	double depth, wanted_depth, wanted;
	struct profile *p;

	run_application(app);
	p = profile_through_text(build_of_rows());
	CHECK(p->closed.kind_count == 1);
	wanted = seconds(NULL, 1, &wanted_depth);
	check_near(name, "time", seconds(p, 1, &depth), wanted, 1.02);
	/* Bursts of the arrivals are not always where a batch ends. */
	check_near(name, "depth", depth, wanted_depth, app->waits_for_all ? 1.3 : 1.15);
	check_near(name, "time, 4 times slower", seconds(p, 4, NULL), seconds(NULL, 4, NULL), 1.1);
	check_near(name, "time, 16 times slower", seconds(p, 16, NULL), seconds(NULL, 16, NULL),
		   1.15);
	profile__free(p);
}

static void slower_device_takes_as_much_longer(void)
{
	static const struct {
		const char *name;
		struct application app;
	} cases[] = {
		{"thinker", {1, 1, false, 100, 1000, UNIFORM, CONSTANT, 0, 5000}},
		{"no thinking", {1, 1, false, 200, 3, EXPONENTIAL, CONSTANT, 0, 5000}},
		{"both random", {1, 1, false, 300, 300, EXPONENTIAL, EXPONENTIAL, 0, 5000}},
		{"long thoughts", {1, 1, false, 100, 5000, CONSTANT, EXPONENTIAL, 0, 5000}},
		{"pauses", {1, 1, false, 150, 20000, UNIFORM, CONSTANT, 20, 5000}},
		{"four thinkers", {4, 1, false, 500, 2000, UNIFORM, EXPONENTIAL, 0, 8000}},
		{"fifty clients", {50, 1, false, 800, 50000, EXPONENTIAL, EXPONENTIAL, 0, 20000}},
		{"eight in flight", {1, 8, false, 400, 3, UNIFORM, CONSTANT, 0, 10000}},
		{"two with sixteen", {2, 16, false, 900, 20, EXPONENTIAL, UNIFORM, 0, 20000}},
		{"batches", {1, 8, true, 300, 4000, UNIFORM, UNIFORM, 0, 8000}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_application(cases[i].name, &cases[i].app);
}

static void section_says_what_the_application_does(void)
{
	const struct application thinkers = {4, 1, false, 100, 3000, UNIFORM, CONSTANT, 0, 4000};
	const struct application deep = {1, 8, false, 400, 3, UNIFORM, CONSTANT, 0, 8000};
	const struct closed_tasks *t;
	struct profile *p;

	run_application(&thinkers);
	p = profile_through_text(build_of_rows());
	t = &p->closed.kinds[0];
	CHECK_EQ(t->tasks, 4);
	for (uint32_t i = 0; i < p->phase_count; i++)
		CHECK_EQ(t->active[i], 4);
	check_near("thinkers", "think time", (double)closed_values_mean(&t->think_ns), 3e6, 1.01);
	check_near("thinkers", "latency", (double)closed_values_mean(&p->closed.latency_ns[0][0]),
		   100e3, 1.05);
	CHECK(p->closed.dependent_permille >= 998);
	profile__free(p);
	run_application(&deep);
	p = profile_through_text(build_of_rows());
	CHECK(p->closed.depth[8] > 7400);
	CHECK_EQ(p->closed.kinds[0].tasks, 1);
	profile__free(p);
}

static void ios_are_those_of_the_open_loop(void)
{
	const struct application app = {4, 1, false, 500, 2000, UNIFORM, EXPONENTIAL, 0, 3000};
	struct closed_loop *with, *without;
	struct closed_row a, b;
	struct profile *p;
	uint32_t ios = 0;

	run_application(&app);
	p = profile_through_text(build_of_rows());
	if (closed_loop__create(p, 3, 0, &with))
		abort();
	p->closed.kind_count = 0;
	if (closed_loop__create(p, 3, 0, &without))
		abort();
	while (closed_loop__next(without, &b) > 0) {
		CHECK_EQ(closed_loop__next(with, &a), 1);
		CHECK(a.row.created_ns == b.row.created_ns && a.row.sector == b.row.sector);
		CHECK(a.stream == b.stream && a.row.bytes == b.row.bytes);
		CHECK(!b.task && !b.row.completed_ns);
		ios++;
	}
	CHECK_EQ(closed_loop__next(with, &a), 0);
	CHECK_EQ(ios, 3000);
	closed_loop__free(with);
	closed_loop__free(without);
	profile__free(p);
}

static const struct application four = {4, 1, false, 500, 3000, UNIFORM, CONSTANT, 0, 6000};

static void twice_the_load_is_twice_the_tasks(void)
{
	struct profile_scale scale = {2, 1, 1};
	double once, slow, mean_think;
	struct profile *p;

	run_application(&four);
	p = profile_through_text(build_of_rows());
	once = seconds(p, 1, NULL);
	slow = seconds(p, 4, NULL);
	mean_think = (double)closed_values_mean(&p->closed.kinds[0].think_ns);
	profile__scale(p, &scale);
	p = profile_through_text(p);
	CHECK_EQ(p->closed.kinds[0].active[0], 8);
	CHECK_EQ(p->closed.kinds[0].tasks, 8);
	check_near("load 2", "think time", (double)closed_values_mean(&p->closed.kinds[0].think_ns),
		   mean_think, 1.001);
	check_near("load 2", "time", seconds(p, 1, NULL), once, 1.05);
	check_near("load 2", "time, 4 times slower", seconds(p, 4, NULL), slow, 1.1);
	/* A quarter of a task is one that thinks longer: a cycle of 3.5 ms each 14. */
	scale.load = 1.0 / 32;
	profile__scale(p, &scale);
	CHECK_EQ(p->closed.kinds[0].active[0], 1);
	check_near("load 1/16", "think time",
		   (double)closed_values_mean(&p->closed.kinds[0].think_ns), 13.5e6, 1.03);
	profile__free(p);
}

static void longer_cycles_are_longer_thoughts(void)
{
	const struct profile_scale scale = {1, 2, 1};
	struct profile *p;

	run_application(&four);
	p = profile_through_text(build_of_rows());
	profile__scale(p, &scale);
	check_near("time 2", "think time", (double)closed_values_mean(&p->closed.kinds[0].think_ns),
		   6.5e6, 1.02);
	check_near("time 2", "latency", (double)closed_values_mean(&p->closed.latency_ns[0][0]),
		   500e3, 1.03);
	profile__free(p);
}

static void a_mix_keeps_the_tasks_of_each_part(void)
{
	const struct application deep = {1, 8, false, 4000, 3, UNIFORM, CONSTANT, 0, 9000};
	struct profile_part parts[2] = {{NULL, 0}, {NULL, 200000}};
	struct profile *first, *second, *mix;
	double think_ms[2];

	run_application(&four);
	first = profile_through_text(build_of_rows());
	run_application(&deep);
	second = profile_through_text(build_of_rows());
	parts[0].p = first;
	parts[1].p = second;
	CHECK_EQ(profile__combine(parts, 2, 0, UINT64_MAX, &mix), 0);
	mix = profile_through_text(mix);
	CHECK_EQ(mix->closed.kind_count, 2);
	for (unsigned int k = 0; k < 2; k++)
		think_ms[mix->closed.kinds[k].active[1] == 4] =
			(double)closed_values_mean(&mix->closed.kinds[k].think_ns) / 1e6;
	check_near("mix", "think time of the four", think_ms[1], 3, 1.1);
	CHECK(think_ms[0] < 0.2);
	profile__free(first);
	profile__free(second);
	profile__free(mix);
}

/* Waits of generated IOs are inferred as those of a trace are. */
static void a_slice_of_all_waits_as_its_profile(void)
{
	const struct application app = {8, 4, false, 900, 2000, EXPONENTIAL, EXPONENTIAL, 0, 20000};
	struct profile_part part = {NULL, 0};
	struct profile *p, *all;

	run_application(&app);
	part.p = p = profile_through_text(build_of_rows());
	CHECK_EQ(profile__combine(&part, 1, 0, UINT64_MAX, &all), 0);
	all = profile_through_text(all);
	check_near("slice", "waited", all->closed.dependent_permille, p->closed.dependent_permille,
		   1.03);
	check_near("slice", "think time",
		   (double)closed_values_mean(&all->closed.kinds[0].think_ns),
		   (double)closed_values_mean(&p->closed.kinds[0].think_ns), 1.2);
	profile__free(p);
	profile__free(all);
}

/* Decisions ---------------------------------------------------------------------------------- */

/* What a task has done with one IO that has no answer, and with two and more. */
struct habit {
	uint32_t goes_on[2], waits[2]; /* weights; for all of its IOs */
	bool waits_for_one;
	uint64_t open_gap_ns[2], cycle_ns[2]; /* from, to */
};

static void set_values(struct closed_values *v, const uint64_t from_to[2])
{
	v->count = from_to[0] == from_to[1] ? 1 : 2;
	v->at[0] = from_to[0];
	v->at[v->count - 1] = from_to[1];
}

/* Nearly always longer than two gaps: an IO that has completed was waited for. */
static void set_latency(struct closed_values *v)
{
	v->count = CLOSED_LATENCY_MAX;
	v->at[0] = US;
	for (uint32_t i = 1; i < v->count; i++)
		v->at[i] = 300 * US + i;
}

/*
 * Per cent of the IOs, 100 us after the one before, which waited for that one as the only one
 * without an answer.
 */
static unsigned int waiting_pct(const struct habit *habit)
{
	const struct application app = {1, 1, false, 40, 60, CONSTANT, CONSTANT, 0, 2000};
	uint32_t seen = 0, waiting = 0;
	const struct trace_task task = {0};
	struct closed_loop *loop;
	struct closed_tasks *t;
	struct closed_row row;
	struct io_wait waited;
	struct waits *waits;
	struct profile *p;

	run_application(&app);
	p = profile_through_text(build_of_rows());
	t = &p->closed.kinds[0];
	memset(t->awaited, 0, sizeof(t->awaited));
	for (uint32_t n = 0; n < CLOSED_ROWS; n++) {
		t->awaited[n][0] = habit->goes_on[n > 0];
		t->awaited[n][habit->waits_for_one ? 1 : CLOSED_AWAITED_ALL] = habit->waits[n > 0];
	}
	set_values(&t->open_gap_ns, habit->open_gap_ns);
	set_values(&t->cycle_ns, habit->cycle_ns);
	set_latency(&p->closed.latency_ns[0][0]);
	if (closed_loop__create(p, 1, 0, &loop) || waits__create(0, &waits))
		abort();
	while (closed_loop__next(loop, &row) > 0) {
		CHECK_EQ(waits__add(waits, &row.row, &task, &waited), 1);
		seen += waited.outstanding == 1;
		waiting += waited.outstanding == 1 && waited.dependent;
	}
	waits__free(waits);
	closed_loop__free(loop);
	profile__free(p);
	CHECK(seen > 0);
	return seen ? 100 * waiting / seen : 0;
}

#define SOON                   \
	{                      \
		2 * US, 2 * US \
	}
#define THEN                 \
	{                    \
		US, 200 * US \
	}
#define LATE                           \
	{                              \
		10000 * US, 10000 * US \
	}

/*
 * A task that has never waited with one IO, by its time, must have: bursts are not always where
 * they were.
 */
static void what_never_was_is_seldom(void)
{
	CHECK_EQ(waiting_pct(&(struct habit){{1, 0}, {0, 1}, false, SOON, THEN}), 100);
	CHECK(waiting_pct(&(struct habit){{1, 0}, {0, 1}, false, THEN, THEN}) <= 5);
}

/* At a time at which it does neither, a task does what it does more often. */
static void what_is_more_frequent_when_times_do_not_tell(void)
{
	CHECK_EQ(waiting_pct(&(struct habit){{3, 0}, {1, 1}, false, SOON, LATE}), 0);
	CHECK(waiting_pct(&(struct habit){{1, 1}, {3, 3}, false, SOON, LATE}) >= 99);
}

/* One that keeps two in flight, by an answer to one of them, has the second at once. */
static void what_is_kept_in_flight_is_filled_up(void)
{
	CHECK_EQ(waiting_pct(&(struct habit){{1, 1}, {0, 3}, true, SOON, THEN}), 0);
	/* With two it mostly goes on, too; it waits for all of them; it seldom goes on with one. */
	CHECK_EQ(waiting_pct(&(struct habit){{1, 3}, {0, 1}, true, SOON, THEN}), 100);
	CHECK_EQ(waiting_pct(&(struct habit){{1, 1}, {0, 3}, false, SOON, THEN}), 100);
	CHECK_EQ(waiting_pct(&(struct habit){{1, 0}, {3, 1}, true, SOON, THEN}), 100);
}

int main(void)
{
	RUN(section_says_what_the_application_does);
	RUN(ios_are_those_of_the_open_loop);
	RUN(slower_device_takes_as_much_longer);
	RUN(twice_the_load_is_twice_the_tasks);
	RUN(longer_cycles_are_longer_thoughts);
	RUN(a_mix_keeps_the_tasks_of_each_part);
	RUN(a_slice_of_all_waits_as_its_profile);
	RUN(what_never_was_is_seldom);
	RUN(what_is_more_frequent_when_times_do_not_tell);
	RUN(what_is_kept_in_flight_is_filled_up);
	return TEST_RESULT;
}
