// SPDX-License-Identifier: MIT
#include "jobs/fio_value.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define NESTED_MAX 32

struct expression {
	const char *at;
	unsigned int nested;
	int err;
};

static void skip_blanks(struct expression *e)
{
	e->at += strspn(e->at, " \t");
}

/* "k", "ki", "kb", "kib" and so on; a "b" alone. */
static uint64_t factor(struct expression *e)
{
	static const char units[] = "kmgtp";
	const char *unit;
	uint64_t power = 1;

	unit = *e->at ? strchr(units, tolower((unsigned char)*e->at)) : NULL;
	if (unit) {
		power = 1ull << (10 * (unit - units + 1));
		e->at++;
		e->at += tolower((unsigned char)*e->at) == 'i';
	}
	e->at += tolower((unsigned char)*e->at) == 'b';
	return power;
}

static uint64_t sum(struct expression *e);

static uint64_t product(struct expression *e, uint64_t a, uint64_t b)
{
	uint64_t value;

	if (__builtin_mul_overflow(a, b, &value)) {
		e->err = -ERANGE;
		return 0;
	}
	return value;
}

static uint64_t operand(struct expression *e)
{
	char *end;
	uint64_t value;

	skip_blanks(e);
	if (*e->at == '(' && e->nested < NESTED_MAX) {
		e->at++;
		e->nested++;
		value = sum(e);
		e->nested--;
		skip_blanks(e);
		if (*e->at != ')')
			e->err = -EINVAL;
		else
			e->at++;
		return value;
	}
	if (!isdigit((unsigned char)*e->at)) {
		e->err = -EINVAL;
		return 0;
	}
	errno = 0;
	value = strtoull(e->at, &end, e->at[0] == '0' && (e->at[1] | 0x20) == 'x' ? 16 : 10);
	if (errno)
		e->err = -ERANGE;
	e->at = end;
	return product(e, value, factor(e));
}

static uint64_t term(struct expression *e)
{
	uint64_t value = operand(e);

	for (;;) {
		uint64_t right;
		char sign;

		skip_blanks(e);
		sign = *e->at;
		if (e->err || !sign || !strchr("*/%", sign))
			return value;
		e->at++;
		right = operand(e);
		if (sign == '*')
			value = product(e, value, right);
		else if (!right)
			e->err = -EINVAL;
		else
			value = sign == '/' ? value / right : value % right;
	}
}

static uint64_t sum(struct expression *e)
{
	uint64_t value = term(e);

	for (;;) {
		uint64_t right;
		char sign;

		skip_blanks(e);
		sign = *e->at;
		if (e->err || (sign != '+' && sign != '-'))
			return value;
		e->at++;
		right = term(e);
		if (sign == '+' ? __builtin_add_overflow(value, right, &value)
				: __builtin_sub_overflow(value, right, &value))
			e->err = -ERANGE;
	}
}

int fio_number(const char *text, uint64_t *number)
{
	struct expression e = {.at = text};
	uint64_t value = sum(&e);

	skip_blanks(&e);
	if (!e.err && *e.at)
		e.err = -EINVAL;
	if (!e.err)
		*number = value;
	return e.err;
}

int fio_size_value(const char *text, uint64_t *bytes)
{
	char first[128];

	if (strcspn(text, ",") >= sizeof(first))
		return -EINVAL;
	snprintf(first, sizeof(first), "%.*s", (int)strcspn(text, ","), text);
	return fio_number(first, bytes) || !*bytes || *bytes > FIO_BYTES_MAX ? -EINVAL : 0;
}

int fio_time_value(const char *text, uint64_t *time_ns)
{
	static const struct {
		const char *fio, *unit;
	} names[] = {{"sec", "s"}, {"msec", "ms"}, {"usec", "us"}, {"min", "m"}};
	size_t digits = strspn(text, "0123456789.");
	char plain[64];
	uint64_t days;

	if (!units_parse_time(text, time_ns))
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(text + digits, names[i].fio) != 0)
			continue;
		snprintf(plain, sizeof(plain), "%.*s%s", (int)(digits < 32 ? digits : 32), text,
			 names[i].unit);
		return units_parse_time(plain, time_ns) ? -EINVAL : 0;
	}
	snprintf(plain, sizeof(plain), "%.*s", (int)(digits < 32 ? digits : 32), text);
	if (strcmp(text + digits, "d") != 0 || units_parse_count(plain, 0, 36500, &days))
		return -EINVAL;
	*time_ns = days * 86400 * NSEC_PER_SEC;
	return 0;
}

int fio_directions(char *text, const char *parts[FIO_DIRECTIONS])
{
	unsigned int count = 0;
	char *part;

	while ((part = strsep(&text, ","))) {
		if (count == FIO_DIRECTIONS)
			return -EINVAL;
		parts[count++] = *part ? part : NULL;
	}
	for (unsigned int i = count; i < FIO_DIRECTIONS; i++)
		parts[i] = parts[count - 1];
	return 0;
}
