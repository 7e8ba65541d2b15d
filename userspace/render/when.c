// SPDX-License-Identifier: MIT
#include "render/when.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/units.h"

const char *when_wall(uint64_t wall_ns, char text[WHEN_TEXT_MAX])
{
	time_t seconds = (time_t)(wall_ns / NSEC_PER_SEC);
	struct tm local;

	if (!wall_ns || !localtime_r(&seconds, &local) ||
	    !strftime(text, WHEN_TEXT_MAX, "%Y-%m-%d %H:%M:%S %Z", &local))
		*text = '\0';
	return text;
}

const char *when_at(uint64_t time_ns, uint64_t start_ns, char text[WHEN_TEXT_MAX])
{
	uint64_t since_ms = time_ns > start_ns ? (time_ns - start_ns) / NSEC_PER_MSEC : 0;

	snprintf(text, WHEN_TEXT_MAX, "%" PRIu64 ".%03u s", since_ms / 1000,
		 (unsigned int)(since_ms % 1000));
	return text;
}
