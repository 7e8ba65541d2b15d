// SPDX-License-Identifier: MIT
#include "unit/shared/test.h"

#include <unistd.h>

#include "base/units.h"
#include "replay/session/disturbance.h"

static bool is(double got, double wanted)
{
	return got > wanted - 0.01 && got < wanted + 0.01;
}

static void what_is_not_idle_and_not_the_replays_is_of_others(void)
{
	uint64_t tick_ns = NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK);
	struct cpu_counters before = {.stat_known = true,
				      .pressure_known = true,
				      .all_ticks = 5000,
				      .idle_ticks = 1000,
				      .stolen_ticks = 10,
				      .own_ns = 7 * NSEC_PER_SEC,
				      .pressure_us = 100,
				      .time_ns = NSEC_PER_SEC};
	struct cpu_counters after = before;
	struct replay_disturbance d;

	after.all_ticks += 1000;
	after.idle_ticks += 500;
	after.stolen_ticks += 20;
	after.own_ns += 180 * tick_ns;
	after.pressure_us += 250000;
	after.time_ns += NSEC_PER_SEC;
	disturbance__between(&before, &after, &d);
	CHECK(is(d.others_pct, 30));
	CHECK(is(d.stolen_pct, 2));
	CHECK(is(d.pressure_pct, 25));
	CHECK(disturbance__is_much(&d, 0));
}

static void a_counter_that_the_kernel_lacks_is_not_known(void)
{
	struct cpu_counters before = {.time_ns = 1}, after = {.time_ns = 2, .all_ticks = 5};
	struct replay_disturbance d;

	disturbance__between(&before, &after, &d);
	CHECK(d.others_pct < 0 && d.stolen_pct < 0 && d.pressure_pct < 0);
	CHECK(!disturbance__is_much(&d, 0.5));
	CHECK(disturbance__is_much(&d, 1.5));
}

static void work_of_others_matters_where_tasks_wait(void)
{
	struct replay_disturbance d = {.others_pct = 50, .pressure_pct = 1};

	CHECK(!disturbance__is_much(&d, 0));
	d.pressure_pct = 10;
	CHECK(disturbance__is_much(&d, 0));
	d.others_pct = 1;
	CHECK(!disturbance__is_much(&d, 0));
	d.stolen_pct = 1.5;
	CHECK(disturbance__is_much(&d, 0));
}

static void this_kernel_has_the_counters(void)
{
	struct cpu_counters c;

	cpu_counters__read(&c);
	CHECK(c.stat_known && c.all_ticks >= c.idle_ticks + c.stolen_ticks);
	CHECK(c.own_ns > 0 && c.time_ns > 0);
}

int main(void)
{
	RUN(what_is_not_idle_and_not_the_replays_is_of_others);
	RUN(a_counter_that_the_kernel_lacks_is_not_known);
	RUN(work_of_others_matters_where_tasks_wait);
	RUN(this_kernel_has_the_counters);
	return TEST_RESULT;
}
