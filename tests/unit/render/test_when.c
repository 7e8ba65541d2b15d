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

int main(void)
{
	RUN(a_wall_time_is_in_the_zone_of_the_process_and_names_it);
	RUN(a_time_of_the_recording_counts_from_its_start);
	return TEST_RESULT;
}
