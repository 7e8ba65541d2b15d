// SPDX-License-Identifier: MIT
/* Times as --from takes them. */
#include "render/when.h"

#include <stdlib.h>
#include <time.h>

#include "base/units.h"
#include "unit/shared/test.h"

#define WALL_NS (1795756677 * NSEC_PER_SEC)

static const char *wall_in(const char *zone, uint64_t wall_ns)
{
	static char text[WHEN_TEXT_MAX];

	setenv("TZ", zone, 1);
	tzset();
	return when_wall(wall_ns, text);
}

static void a_wall_time_is_in_the_zone_of_the_process_and_names_it(void)
{
	CHECK_TEXT(wall_in("UTC", WALL_NS), "2026-11-27 05:17:57 UTC");
	CHECK_TEXT(wall_in("EST5", WALL_NS), "2026-11-27 00:17:57 EST");
	CHECK_TEXT(wall_in("EST5", 0), "");
}

static void a_time_of_the_recording_counts_from_its_start(void)
{
	char text[WHEN_TEXT_MAX];

	CHECK_TEXT(when_at(7 * NSEC_PER_SEC + 12345678, 5 * NSEC_PER_SEC, text), "2.012 s");
	CHECK_TEXT(when_at(3605 * NSEC_PER_SEC, 5 * NSEC_PER_SEC, text), "3600.000 s");
	CHECK_TEXT(when_at(1, 5 * NSEC_PER_SEC, text), "0.000 s");
}

#define START_NS (5 * NSEC_PER_SEC)

/* The warning about a recording of 10 s during which `passed_ns` went by on the wall. */
static const char *warning_after(uint64_t passed_ns)
{
	static char text[WHEN_WARNING_MAX];
	const struct trace_host host = {.start_ns = START_NS, .start_wall_ns = WALL_NS};
	const struct trace_summary summary = {.stop_ns = START_NS + 10 * NSEC_PER_SEC,
					      .stop_wall_ns = WALL_NS + passed_ns};

	return when_clock_warning(&host, &summary, text);
}

static void a_jump_of_the_clock_is_warned_of(void)
{
	CHECK_TEXT(warning_after(10 * NSEC_PER_SEC), "");
	CHECK_TEXT(warning_after(11 * NSEC_PER_SEC), "");
	CHECK_TEXT(warning_after(9 * NSEC_PER_SEC), "");
	CHECK_TEXT(warning_after(12 * NSEC_PER_SEC),
		   "the clock jumped ahead by 2.00 s while this was recorded (it was set, or the "
		   "host was suspended): times of day after that are too early");
	CHECK_TEXT(warning_after((uint64_t)-20 * NSEC_PER_SEC),
		   "the clock was set back by 30.00 s while this was recorded: times of day after "
		   "that are too late");
}

static void the_clock_is_not_known_of_old_traces(void)
{
	struct trace_host host = {.start_ns = START_NS, .start_wall_ns = WALL_NS};
	struct trace_summary summary = {.stop_ns = START_NS + 1, .stop_wall_ns = WALL_NS + 9};
	int64_t jump_ns;

	REQUIRE(when_clock_jump(&host, &summary, &jump_ns));
	CHECK_EQ(jump_ns, 8);
	CHECK(!when_clock_jump(&host, NULL, &jump_ns));
	summary.stop_wall_ns = 0;
	CHECK(!when_clock_jump(&host, &summary, &jump_ns));
	summary.stop_wall_ns = 1;
	REQUIRE(when_clock_jump(&host, &summary, &jump_ns));
	CHECK_EQ(jump_ns, -(int64_t)WALL_NS);
	host.start_wall_ns = 0;
	CHECK(!when_clock_jump(&host, &summary, &jump_ns));
	host.start_wall_ns = WALL_NS;
	summary.stop_ns = START_NS - 1;
	CHECK(!when_clock_jump(&host, &summary, &jump_ns));
}

int main(void)
{
	RUN(a_wall_time_is_in_the_zone_of_the_process_and_names_it);
	RUN(a_time_of_the_recording_counts_from_its_start);
	RUN(a_jump_of_the_clock_is_warned_of);
	RUN(the_clock_is_not_known_of_old_traces);
	return TEST_RESULT;
}
