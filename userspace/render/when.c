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

bool when_clock_jump(const struct trace_host *host, const struct trace_summary *summary,
		     int64_t *jump_ns)
{
	if (!summary || !summary->stop_wall_ns || !host->start_wall_ns ||
	    summary->stop_ns < host->start_ns)
		return false;
	*jump_ns = (int64_t)(summary->stop_wall_ns - host->start_wall_ns -
			     (summary->stop_ns - host->start_ns));
	return true;
}

const char *when_clock_warning(const struct trace_host *host, const struct trace_summary *summary,
			       char text[WHEN_WARNING_MAX])
{
	int64_t jump_ns;

	*text = '\0';
	if (!when_clock_jump(host, summary, &jump_ns))
		return text;
	if (jump_ns > (int64_t)NSEC_PER_SEC)
		snprintf(text, WHEN_WARNING_MAX,
			 "the clock jumped ahead by %s while this was recorded (it was set, or the "
			 "host was suspended): times of day after that are too early",
			 TIME_TEXT((uint64_t)jump_ns));
	else if (jump_ns < -(int64_t)NSEC_PER_SEC)
		snprintf(text, WHEN_WARNING_MAX,
			 "the clock was set back by %s while this was recorded: times of day after "
			 "that are too late",
			 TIME_TEXT(-(uint64_t)jump_ns));
	return text;
}

const char *when_at(uint64_t time_ns, uint64_t start_ns, char text[WHEN_TEXT_MAX])
{
	uint64_t since_ms = time_ns > start_ns ? (time_ns - start_ns) / NSEC_PER_MSEC : 0;

	snprintf(text, WHEN_TEXT_MAX, "%" PRIu64 ".%03u s", since_ms / 1000,
		 (unsigned int)(since_ms % 1000));
	return text;
}
