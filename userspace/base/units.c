// SPDX-License-Identifier: MIT
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A non-negative decimal number at the start of text; *rest is what follows it. */
static int parse_number(const char *text, long double *value, const char **rest)
{
	char *end;

	if (!text || !isdigit((unsigned char)text[*text == '.']))
		return -EINVAL;
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return -EINVAL;
	errno = 0;
	*value = strtold(text, &end);
	if (errno == ERANGE || !isfinite(*value))
		return -ERANGE;
	*rest = end;
	return 0;
}

static int scaled(long double value, long double unit, uint64_t *result)
{
	value *= unit;
	if (value >= 18446744073709551615.0L)
		return -ERANGE;
	*result = (uint64_t)(value + 0.5L);
	return 0;
}

int units_parse_bytes(const char *text, uint64_t *bytes)
{
	static const char prefixes[] = "kMGTP";
	long double value, unit = 1;
	const char *rest, *prefix;
	int err;

	err = parse_number(text, &value, &rest);
	if (err)
		return err;
	if (*rest && strcasecmp(rest, "B")) {
		long double base = 1024;

		prefix = strchr(prefixes, *rest == 'K' ? 'k' : *rest);
		if (!prefix)
			return -EINVAL;
		if (!strcmp(rest + 1, "B"))
			base = 1000;
		else if (rest[1] && strcmp(rest + 1, "iB"))
			return -EINVAL;
		for (const char *p = prefixes; p <= prefix; p++)
			unit *= base;
	}
	return scaled(value, unit, bytes);
}

int units_parse_time(const char *text, uint64_t *time_ns)
{
	static const struct {
		const char *suffix;
		double unit_ns;
	} suffixes[] = {
		{"", 1e9},  {"ns", 1},	 {"us", 1e3},	{"ms", 1e6},
		{"s", 1e9}, {"m", 6e10}, {"min", 6e10}, {"h", 3.6e12},
	};
	long double value;
	const char *rest;
	int err;

	err = parse_number(text, &value, &rest);
	if (err)
		return err;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (!strcmp(rest, suffixes[i].suffix))
			return scaled(value, suffixes[i].unit_ns, time_ns);
	return -EINVAL;
}

int units_parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *count)
{
	unsigned long long value;
	char *end;

	if (!text || !isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (*end)
		return -EINVAL;
	if (errno == ERANGE || value < min || value > max)
		return -ERANGE;
	*count = value;
	return 0;
}

int units_parse_real(const char *text, double min, double max, double *value)
{
	long double number;
	const char *rest;
	int err;

	err = parse_number(text, &number, &rest);
	if (err)
		return err;
	if (*rest)
		return -EINVAL;
	if (number < min || number > max)
		return -ERANGE;
	*value = (double)number;
	return 0;
}

const char *units_bytes(uint64_t bytes, char *text)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double value = (double)bytes;
	unsigned int i = 0;

	while (value >= 1023.95 && i < sizeof(units) / sizeof(units[0]) - 1) {
		value /= 1024;
		i++;
	}
	snprintf(text, UNITS_TEXT_MAX, i ? "%.1f %s" : "%.0f %s", value, units[i]);
	return text;
}

const char *units_time(uint64_t time_ns, char *text)
{
	double value = (double)time_ns;

	if (time_ns < 1000)
		snprintf(text, UNITS_TEXT_MAX, "%llu ns", (unsigned long long)time_ns);
	else if (value < 999.5e3)
		snprintf(text, UNITS_TEXT_MAX, "%.3g us", value / 1e3);
	else if (value < 999.5e6)
		snprintf(text, UNITS_TEXT_MAX, "%.3g ms", value / 1e6);
	else
		snprintf(text, UNITS_TEXT_MAX, "%.2f s", value / 1e9);
	return text;
}

const char *units_spoken(uint64_t time_ns, char *text)
{
	uint64_t seconds = time_ns / NSEC_PER_SEC;
	char *zeros;

	if (seconds >= 2 * 3600)
		snprintf(text, UNITS_TEXT_MAX, "%.1f hours", (double)seconds / 3600);
	else if (seconds >= 120)
		snprintf(text, UNITS_TEXT_MAX, "%.0f minutes", (double)seconds / 60);
	else
		units_time(time_ns, text);
	zeros = strstr(text, ".00 s");
	if (zeros)
		memmove(zeros, zeros + 3, strlen(zeros + 3) + 1);
	return text;
}

const char *units_count(uint64_t count, char *text)
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count);
	char *at = text;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*at++ = ',';
		*at++ = digits[i];
	}
	*at = '\0';
	return text;
}

const char *units_counted(uint64_t count, const char *noun, char *text)
{
	size_t length = strlen(noun);
	const char *plural = length && strchr("shx", noun[length - 1]) ? "es" : "s";

	units_count(count, text);
	snprintf(text + strlen(text), UNITS_TEXT_MAX - strlen(text), " %.*s%s", UNITS_NOUN_MAX,
		 noun, count == 1 ? "" : plural);
	return text;
}
