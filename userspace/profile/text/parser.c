// SPDX-License-Identifier: MIT
#include "profile/text/parser.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "profile/digits.h"

#define TOKEN_MAX     96
#define ROWS_TEXT_MAX 96
#define ROW_OF_DIGITS 99 /* as `filled`: not by a list of its own */

/* Keeps the first message: the INI reader reports the line of the first error. */
int parse_fail(struct parser *r, const char *format, ...)
{
	va_list args;

	if (!r->message[0]) {
		va_start(args, format);
		vsnprintf(r->message, PROFILE_MESSAGE_MAX, format, args);
		va_end(args);
		r->message_line = r->lines.line;
	}
	return -EINVAL;
}

int parse_once(struct parser *r, const char *name, bool filled)
{
	if (filled && !r->lines.continues)
		return parse_fail(r, "'%s' is given twice", name);
	return 0;
}

int parse_unknown_key(struct parser *r, const char *section, const char *name)
{
	if (!strcmp(name, "include"))
		return parse_fail(r,
				  "a profile includes no other file; 'blkreel profile mix' joins "
				  "several");
	if (!strncmp(name, "zones.", 6))
		return parse_fail(r,
				  "'%s' is no table of a profile: delete its lines ('zones' holds "
				  "for all phases), or make the profile again",
				  name);
	return parse_fail(r, "[%s] has no key '%s'", section, name);
}

/* Index of the row that a name like "gap.17" ends with; -1: there is no such row. */
int parse_row_index(const char *text, const unsigned int *names, unsigned int count)
{
	uint64_t number;

	if (units_parse_count(text, 0, UINT32_MAX, &number))
		return -1;
	for (unsigned int i = 0; i < count; i++)
		if (!names ? i == number : names[i] == number)
			return (int)i;
	return -1;
}

static int store(struct parser *r, const struct target *t, const char *name, uint32_t index,
		 uint64_t min, const char *text)
{
	uint64_t value;

	if (index >= t->count)
		return parse_fail(r, "'%s' has more than %u value%s", name, t->count,
				  t->count == 1 ? "" : "s");
	if (units_parse_count(text, min, t->max, &value))
		return parse_fail(r, "'%s': '%s' is not a number from %llu to %llu", name, text,
				  (unsigned long long)min, (unsigned long long)t->max);
	if (t->wide)
		((uint64_t *)t->numbers)[index] = value;
	else
		((uint32_t *)t->numbers)[index] = (uint32_t)value;
	return 0;
}

int parse_digits(struct parser *r, const char *name, const char *digits, uint32_t *weights)
{
	for (size_t i = 0; digits[i]; i++) {
		int weight = digit_weight(digits[i]);

		if (weight < 0)
			return parse_fail(r,
					  "'%s': '%s' holds '%c', but digits are 0-9, a-z (10 to "
					  "35) and A-Z (36 to 61)",
					  name, digits, digits[i]);
		weights[i] = (uint32_t)weight;
	}
	return 0;
}

static int given_twice(struct parser *r, const struct target *t, const char *name, size_t index)
{
	return parse_fail(r, "'%s': index %zu is given twice", name, index + t->first_index);
}

/* "index>digits"; a 0 says as little as an index that is not there. */
static int store_run(struct parser *r, const struct target *t, const char *name, uint32_t index,
		     const char *digits)
{
	uint32_t weights[TOKEN_MAX], *numbers = t->numbers;
	size_t length = strlen(digits);
	int err;

	if (!length)
		return parse_fail(r, "'%s': no digits follow '%u>'", name, index + t->first_index);
	if (length > t->count - index)
		return parse_fail(r, "'%s': '%s' goes on behind index %u, the last", name, digits,
				  t->first_index + t->count - 1);
	err = parse_digits(r, name, digits, weights);
	for (size_t i = 0; i < length && !err; i++) {
		if (weights[i] && numbers[index + i])
			err = given_twice(r, t, name, index + i);
		else if (weights[i])
			numbers[index + i] = weights[i];
	}
	*t->filled = index + (uint32_t)length;
	return err;
}

/*
 * "index:number", "index>digits", or the number of the next index; a weight of 0 is not named, so
 * that a second one for an index is seen.
 */
static int store_pair(struct parser *r, const struct target *t, const char *name, char *token)
{
	char *mark = strpbrk(token, ":>"), sign = mark ? *mark : 0;
	uint64_t index = *t->filled;

	if (!mark && !index)
		return parse_fail(r, "'%s': '%s' is not index:weight", name, token);
	if (!mark && index == t->count)
		return parse_fail(r, "'%s': '%s' comes behind index %u, the last", name, token,
				  t->first_index + t->count - 1);
	if (mark) {
		*mark = 0;
		if (units_parse_count(token, t->first_index, t->first_index + t->count - 1, &index))
			return parse_fail(r, "'%s': '%s' is not an index from %u to %u", name,
					  token, t->first_index, t->first_index + t->count - 1);
		index -= t->first_index;
	}
	if (sign == '>')
		return store_run(r, t, name, (uint32_t)index, mark + 1);
	if (((uint32_t *)t->numbers)[index])
		return given_twice(r, t, name, index);
	*t->filled = (uint32_t)index + 1;
	return store(r, t, name, (uint32_t)index, mark ? t->min : 0, mark ? mark + 1 : token);
}

int parse_bytes(const char *text, uint64_t min, uint64_t max, uint64_t *bytes)
{
	size_t length = strlen(text);
	char number[24];
	unsigned int shift = 0;
	uint64_t value;
	int err;

	if (!length || length >= sizeof(number))
		return -EINVAL;
	memcpy(number, text, length + 1);
	if (number[length - 1] == 'K')
		shift = 10;
	else if (number[length - 1] == 'M')
		shift = 20;
	if (shift)
		number[length - 1] = 0;
	err = units_parse_count(number, 0, max >> shift, &value);
	if (!err && value << shift < min)
		err = -ERANGE;
	if (!err)
		*bytes = value << shift;
	return err;
}

int parse_each_token(struct parser *r, const char *name, const char *value, token_handler handle,
		     void *context)
{
	char token[TOKEN_MAX];
	int err = 0;

	for (const char *at = value; !err;) {
		size_t length;

		at += strspn(at, " \t");
		length = strcspn(at, " \t");
		if (!length)
			break;
		if (length >= sizeof(token))
			return parse_fail(r, "'%s': '%.20s...' is not a number", name, at);
		memcpy(token, at, length);
		token[length] = 0;
		at += length;
		err = handle(r, context, name, token);
	}
	return err;
}

static int fill_token(struct parser *r, void *context, const char *name, char *token)
{
	struct target *t = context;

	if (t->sparse)
		return store_pair(r, t, name, token);
	return store(r, t, name, (*t->filled)++, t->min, token);
}

int parse_fill(struct parser *r, struct target t, const char *name, const char *value)
{
	if (!*value)
		return parse_fail(r, "'%s' has no value", name);
	return parse_once(r, name, *t.filled) ?: parse_each_token(r, name, value, fill_token, &t);
}

/* "'33' is none of the rows 2 3 4 8" */
static int no_such_row(struct parser *r, const struct row_target *t, const char *name,
		       const char *row)
{
	char rows[ROWS_TEXT_MAX] = "";

	for (unsigned int i = 0; i < t->row_count; i++)
		snprintf(rows + strlen(rows), sizeof(rows) - strlen(rows), " %u",
			 t->names ? t->names[i] : i);
	return parse_fail(r, "'%s': '%s' is none of the rows%s", name, row, rows);
}

static int fill_row(struct parser *r, void *context, const char *name, char *token)
{
	const struct row_target *t = context;
	char *colon = strchr(token, ':');
	int row;

	if (!colon || !colon[1])
		return parse_fail(r, "'%s': '%s' is not row:digits", name, token);
	*colon = 0;
	row = parse_row_index(token, t->names, t->row_count);
	if (row < 0)
		return no_such_row(r, t, name, token);
	if (t->filled[row])
		return parse_fail(r, "'%s': row %s is given twice", name, token);
	if (strlen(colon + 1) > t->count)
		return parse_fail(r, "'%s': row %s has %zu weights, but at most %u", name, token,
				  strlen(colon + 1), t->count);
	t->filled[row] = ROW_OF_DIGITS;
	return parse_digits(r, name, colon + 1, t->weights + (size_t)row * t->count);
}

int parse_fill_rows(struct parser *r, struct row_target t, const char *name, const char *value)
{
	bool begun = false;

	if (!*value)
		return parse_fail(r, "'%s' has no value", name);
	for (unsigned int row = 0; row < t.row_count; row++)
		begun = begun || t.filled[row] == ROW_OF_DIGITS;
	return parse_once(r, name, begun) ?: parse_each_token(r, name, value, fill_row, &t);
}
