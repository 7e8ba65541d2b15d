// SPDX-License-Identifier: MIT
/* Times of the clock on the wall as times of a recording. */
#include "unit/shared/test.h"

#include <stdlib.h>

/* The library of the tests has no commands. */
#include "commands/shared/wall_time.c"

/* 2026-11-27 05:17:57.6 UTC. */
#define START_NS (1795756677 * NSEC_PER_SEC + 600 * NSEC_PER_MSEC)

static const struct wall_span two_seconds = {START_NS, 2 * NSEC_PER_SEC};
static const struct wall_span a_day = {START_NS, 86400 * NSEC_PER_SEC};
static const struct wall_span open_end = {START_NS, 0};

static uint64_t at_ms(const char *text, const struct wall_span *span)
{
	uint64_t since_ns;

	CHECK(!wall_time_since(text, span, &since_ns));
	return since_ns / NSEC_PER_MSEC;
}

static bool is_before(const char *text, const struct wall_span *span)
{
	uint64_t since_ns;

	return wall_time_since(text, span, &since_ns) == -ERANGE;
}

static void the_second_of_the_start_is_the_start(void)
{
	CHECK(at_ms("05:17:57", &two_seconds) == 0);
	CHECK(at_ms("05:17:57", &a_day) == 0);
	CHECK(at_ms("2026-11-27T05:17:57", &two_seconds) == 0);
	CHECK(at_ms("2026-11-27T05:17:57Z", &two_seconds) == 0);
	CHECK(at_ms("05:17:58", &two_seconds) == 400);
	CHECK(is_before("05:17:56", &two_seconds));
	CHECK(is_before("2026-11-27T05:17:56", &two_seconds));
}

static void without_seconds_the_minute_of_the_start_is_the_start(void)
{
	CHECK(at_ms("05:17", &two_seconds) == 0);
	CHECK(at_ms("2026-11-27T05:17", &two_seconds) == 0);
	CHECK(is_before("05:16", &two_seconds));
	CHECK(at_ms("05:18", &two_seconds) == 2400);
}

static void the_next_day_is_meant_only_if_the_recording_reaches_it(void)
{
	CHECK(is_before("03:05", &two_seconds));
	CHECK(at_ms("03:05", &a_day) == ((24 + 3) * 3600 + 5 * 60) * 1000u - 19077600u);
	CHECK(at_ms("03:05", &open_end) == at_ms("03:05", &a_day));
	CHECK(is_before("2026-11-27T03:05", &a_day));
}

int main(void)
{
	setenv("TZ", "UTC", 1);
	RUN(the_second_of_the_start_is_the_start);
	RUN(without_seconds_the_minute_of_the_start_is_the_start);
	RUN(the_next_day_is_meant_only_if_the_recording_reaches_it);
	return TEST_RESULT;
}
