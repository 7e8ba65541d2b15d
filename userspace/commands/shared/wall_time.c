// SPDX-License-Identifier: MIT
#include "commands/shared/wall_time.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/exit_codes.h"
#include "base/units.h"
#include "render/when.h"

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

static bool is_wall_time(const char *text)
{
	struct tm tm;
	bool utc;

	return parse(text, &tm, &utc) >= 0;
}

bool wall_time_given(const char *text)
{
	return text && is_wall_time(text);
}

/* A text without seconds means its minute: a start inside of what the text means is that time. */
static uint64_t unit_ns(const char *text)
{
	const char *clock = strchr(text, 'T') ? strchr(text, 'T') + 1 : text;

	return (strchr(clock, ':') == strrchr(clock, ':') ? 60 : 1) * NSEC_PER_SEC;
}

static int since(time_t when, uint64_t start_ns, uint64_t width_ns, uint64_t *since_ns)
{
	uint64_t when_ns;

	if (when < 0 || __builtin_mul_overflow((uint64_t)when, NSEC_PER_SEC, &when_ns))
		return -ERANGE;
	if (when_ns < start_ns && start_ns - when_ns >= width_ns)
		return -ERANGE;
	*since_ns = when_ns < start_ns ? 0 : when_ns - start_ns;
	return 0;
}

int wall_time_since(const char *text, const struct wall_span *span, uint64_t *since_ns)
{
	time_t start = (time_t)(span->start_ns / NSEC_PER_SEC);
	struct tm tm, day;
	bool utc;
	int has_date = parse(text, &tm, &utc);

	if (has_date < 0)
		return has_date;
	tm.tm_isdst = -1;
	if (has_date)
		return since(utc ? timegm(&tm) : mktime(&tm), span->start_ns, unit_ns(text),
			     since_ns);
	localtime_r(&start, &day);
	for (int days = 0; days < 2; days++) {
		struct tm at = {.tm_year = day.tm_year,
				.tm_mon = day.tm_mon,
				.tm_mday = day.tm_mday + days,
				.tm_hour = tm.tm_hour,
				.tm_min = tm.tm_min,
				.tm_sec = tm.tm_sec,
				.tm_isdst = -1};

		if (!since(mktime(&at), span->start_ns, unit_ns(text), since_ns))
			return days && span->length_ns && *since_ns > span->length_ns ? -ERANGE : 0;
	}
	return -ERANGE;
}

int wall_time_option_check(const struct command_usage *usage, const char *name, const char *text,
			   uint64_t *time_ns)
{
	if (!text || is_wall_time(text) || !units_parse_time(text, time_ns))
		return EXIT_OK;
	return options_usage_error(usage,
				   "--%s takes a time such as 10, 500ms or 5m, or of the clock: "
				   "15:04:05, 2026-11-21T15:04, not '%s'",
				   name, text);
}

static int outside(const struct command_usage *usage, const char *name, const char *text,
		   const char *where, const char *path, const struct wall_span *span)
{
	char begin[WHEN_TEXT_MAX], end[WHEN_TEXT_MAX];

	return options_usage_error(
		usage, "--%s %s is %s (%s: %s%s%s)", name, text, where, path,
		when_wall(span->start_ns, begin), span->length_ns ? " to " : " on",
		span->length_ns ? when_wall(span->start_ns + span->length_ns, end) : "");
}

static int option_set(const struct command_usage *usage, const char *name, const char *text,
		      const char *path, const struct wall_span *span, uint64_t *time_ns)
{
	if (!wall_time_given(text))
		return EXIT_OK;
	if (!span->start_ns)
		return options_usage_error(usage,
					   "--%s: %s does not tell at what time of day it began: "
					   "give a time of the recording, such as 10s",
					   name, path);
	if (wall_time_since(text, span, time_ns))
		return outside(usage, name, text, "before the start", path, span);
	return EXIT_OK;
}

int wall_time_options_set(const struct command_usage *usage, const char *path,
			  const struct wall_span *span, const char *from, uint64_t *from_ns,
			  const char *to, uint64_t *to_ns)
{
	int code = option_set(usage, "from", from, path, span, from_ns);

	if (!code)
		code = option_set(usage, "to", to, path, span, to_ns);
	if (code)
		return code;
	if (wall_time_given(from) && span->length_ns && *from_ns > span->length_ns)
		return outside(usage, "from", from, "after the end", path, span);
	if (wall_time_given(to) && !*to_ns)
		return outside(usage, "to", to, "not after the start", path, span);
	return EXIT_OK;
}
