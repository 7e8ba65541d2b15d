// SPDX-License-Identifier: MIT
#include "commands/shared/wall_time.h"

#include <errno.h>
#include <string.h>
#include <time.h>

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
