// SPDX-License-Identifier: MIT
#include "commands/shared/wall_time.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/exit_codes.h"
#include "base/units.h"

/* Fills `tm` from `text`: 1 with a date, 0 with a time of day; -EINVAL. *utc: it ends with Z. */
static int parse(const char *text, struct tm *tm, bool *utc)
{
	static const char *const formats[] = {"%H:%M:%S", "%H:%M", "%Y-%m-%dT%H:%M:%S",
					      "%Y-%m-%dT%H:%M"};

	for (unsigned int i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		const char *end;

		*tm = (struct tm){0};
		end = strptime(text, formats[i], tm);
		*utc = end && !strcmp(end, "Z");
		if (end && (!*end || (i >= 2 && *utc)))
			return i >= 2;
	}
	return -EINVAL;
}

bool wall_time_is(const char *text)
{
	struct tm tm;
	bool utc;

	return parse(text, &tm, &utc) >= 0;
}

static int since(time_t when, uint64_t start_wall_ns, uint64_t *since_ns)
{
	uint64_t when_ns;

	if (when < 0 || __builtin_mul_overflow((uint64_t)when, NSEC_PER_SEC, &when_ns) ||
	    when_ns < start_wall_ns)
		return -ERANGE;
	*since_ns = when_ns - start_wall_ns;
	return 0;
}

int wall_time_since(const char *text, uint64_t start_wall_ns, uint64_t *since_ns)
{
	time_t start = (time_t)(start_wall_ns / NSEC_PER_SEC);
	struct tm tm, day;
	bool utc;
	int has_date = parse(text, &tm, &utc);

	if (has_date < 0)
		return has_date;
	tm.tm_isdst = -1;
	if (has_date)
		return since(utc ? timegm(&tm) : mktime(&tm), start_wall_ns, since_ns);
	localtime_r(&start, &day);
	for (int days = 0; days < 2; days++) {
		struct tm at = {.tm_year = day.tm_year,
				.tm_mon = day.tm_mon,
				.tm_mday = day.tm_mday + days,
				.tm_hour = tm.tm_hour,
				.tm_min = tm.tm_min,
				.tm_sec = tm.tm_sec,
				.tm_isdst = -1};

		if (!since(mktime(&at), start_wall_ns, since_ns))
			return 0;
	}
	return -ERANGE;
}

int wall_time_option_check(const struct command_usage *usage, const char *name, const char *text,
			   uint64_t *time_ns)
{
	if (!text || wall_time_is(text) || !units_parse_time(text, time_ns))
		return EXIT_OK;
	return options_usage_error(usage,
				   "--%s takes a time such as 10, 500ms or 5m, or of the clock: "
				   "15:04:05, 2026-11-21T15:04, not '%s'",
				   name, text);
}

int wall_time_option_set(const struct command_usage *usage, const char *name, const char *text,
			 const char *path, uint64_t start_wall_ns, uint64_t *time_ns)
{
	if (!text || !wall_time_is(text))
		return EXIT_OK;
	if (!start_wall_ns)
		return options_usage_error(usage,
					   "--%s: %s does not tell at what time of day it began: "
					   "give a time of the recording, such as 10s",
					   name, path);
	if (!wall_time_since(text, start_wall_ns, time_ns))
		return EXIT_OK;
	return options_usage_error(usage, "--%s %s is before the start: 'blkreel info' shows it",
				   name, text);
}
