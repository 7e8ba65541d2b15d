// SPDX-License-Identifier: MIT
/* The lead before an IO, on simulated machines whose timers are late by known amounts. */
#include "unit/shared/test.h"

#include "base/units.h"
#include "profile/prng.h"
#include "replay/engine/schedule.h"
#include "replay/engine/spin.h"

#define SUBMIT_NS 2000u /* from the wake-up to the submission */

static struct histogram late;
static struct prng prng;
static uint64_t clock_now_ns;

/* How late a wake-up is: `parts` are its percentiles 0, 50, 90, 99 and 100. */
struct machine {
	uint64_t parts_ns[5];
};

/* As a virtual machine was measured: 34 to 55 us at p50, 62 to 103 at p90, 127 to 146 at p99. */
static const struct machine slow = {{20000, 45000, 85000, 140000, 160000}};
static const struct machine exact = {{500, 1500, 2500, 4000, 5000}};
static const struct machine erratic = {{1000, 5000, 20000, 950000, 2000000}};

static uint64_t wakeup_ns(const struct machine *m)
{
	static const double bounds[5] = {0, 0.5, 0.9, 0.99, 1};
	double at = (double)prng_below(&prng, 1000000) / 1e6;
	unsigned int i = 0;

	while (i < 3 && at > bounds[i + 1])
		i++;
	return m->parts_ns[i] + (uint64_t)((double)(m->parts_ns[i + 1] - m->parts_ns[i]) *
					   (at - bounds[i]) / (bounds[i + 1] - bounds[i]));
}

struct outcome {
	uint64_t ios, late_ios, took_ns;
};

/* Plays `ios` IOs, `gap_ns` apart, as the engine does; `fixed_ns`: with this lead instead. */
static struct outcome play(struct spin *s, const struct machine *m, uint64_t ios, uint64_t gap_ns,
			   uint64_t fixed_ns)
{
	struct schedule schedule = {.speed = 1};
	struct outcome o = {.ios = ios};
	uint64_t start_ns = clock_now_ns;

	for (uint64_t i = 1; i <= ios; i++) {
		uint64_t due_ns = start_ns + i * gap_ns, sleep_ns;

		schedule.lead_ns = fixed_ns ?: s->lead_ns;
		sleep_ns = schedule_sleep_ns(&schedule, due_ns, clock_now_ns);
		if (sleep_ns) {
			uint64_t late_ns = wakeup_ns(m);

			clock_now_ns += sleep_ns + late_ns;
			spin__woke(s, late_ns);
		}
		o.late_ios += clock_now_ns > due_ns;
		if (clock_now_ns < due_ns) {
			spin__polls(s, clock_now_ns);
			clock_now_ns = due_ns;
		}
		spin__ended(s, clock_now_ns);
		clock_now_ns += SUBMIT_NS;
	}
	o.took_ns = clock_now_ns - start_ns;
	return o;
}

static void set_up(struct spin *s)
{
	histogram_init(&late);
	prng_seed(&prng, 1);
	spin__init(s, &late);
	clock_now_ns = NSEC_PER_SEC;
}

/* What the engine does before the first IO. */
static void measure(struct spin *s, const struct machine *m)
{
	for (unsigned int i = 0; i < SPIN_FIRST_WAKEUPS; i++)
		spin__woke(s, wakeup_ns(m));
}

static void ios_are_on_time_where_timers_are_late(void)
{
	struct outcome fixed, o;
	struct spin s;

	set_up(&s);
	fixed = play(&s, &slow, 10000, NSEC_PER_MSEC, 50000);
	CHECK(fixed.late_ios > fixed.ios / 3);
	set_up(&s);
	measure(&s, &slow);
	o = play(&s, &slow, 10000, NSEC_PER_MSEC, 0);
	CHECK(o.late_ios <= o.ios / 100);
	CHECK(s.lead_ns > 127000 && s.lead_ns < 180000);
	CHECK(!s.limited);
	CHECK_EQ(late.count, 10000 + SPIN_FIRST_WAKEUPS);
	/* It sleeps until the timer is as late as it can be, and polls what is left of the lead. */
	CHECK(s.spun_ns < 10000 * 130000ull);
}

static void exact_timers_cost_little(void)
{
	struct outcome o;
	struct spin s;

	set_up(&s);
	measure(&s, &exact);
	o = play(&s, &exact, 10000, NSEC_PER_MSEC, 0);
	CHECK_EQ(o.late_ios, 0);
	CHECK(s.lead_ns <= 20000);
	CHECK(s.spun_ns < 10000 * 20000ull);
}

static void the_lead_follows_timers_that_become_later(void)
{
	struct outcome o;
	struct spin s;

	set_up(&s);
	measure(&s, &exact);
	play(&s, &exact, 3000, NSEC_PER_MSEC, 0);
	play(&s, &slow, 3000, NSEC_PER_MSEC, 0);
	o = play(&s, &slow, 3000, NSEC_PER_MSEC, 0);
	CHECK(o.late_ios <= o.ios / 50);
	play(&s, &exact, 20000, NSEC_PER_MSEC, 0);
	CHECK(s.lead_ns <= 20000);
	CHECK(s.highest_ns > 127000);
}

static void a_single_late_wakeup_does_not_raise_it_for_ever(void)
{
	struct spin s;

	set_up(&s);
	spin__woke(&s, 5 * NSEC_PER_MSEC);
	for (unsigned int i = 1; i < SPIN_FIRST_WAKEUPS; i++)
		spin__woke(&s, wakeup_ns(&exact));
	CHECK_EQ(s.lead_ns, SPIN_MOST_NS);
	play(&s, &exact, 400, NSEC_PER_MSEC, 0);
	CHECK(s.lead_ns <= 20000);
}

/* 1,000 us of every 1,200 would be polled to be on time here: five sixths of a core. */
static void the_share_of_a_core_is_bounded(void)
{
	const uint64_t ios = 20000, gap_ns = 1200000;
	struct outcome o;
	struct spin s;

	set_up(&s);
	measure(&s, &erratic);
	o = play(&s, &erratic, ios, gap_ns, 0);
	CHECK(s.limited);
	CHECK((double)(s.spun_ns - ios * SPIN_FREE_NS) <=
	      (double)(o.took_ns) * (SPIN_SHARE_PCT + 3) / 100);
	CHECK(s.lead_ns >= SPIN_FREE_NS);
	/* IOs with more time between them are worth it again. */
	o = play(&s, &erratic, 2000, 20 * NSEC_PER_MSEC, 0);
	CHECK(s.lead_ns > 900000);
}

int main(void)
{
	RUN(ios_are_on_time_where_timers_are_late);
	RUN(exact_timers_cost_little);
	RUN(the_lead_follows_timers_that_become_later);
	RUN(a_single_late_wakeup_does_not_raise_it_for_ever);
	RUN(the_share_of_a_core_is_bounded);
	return TEST_RESULT;
}
