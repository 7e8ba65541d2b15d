// SPDX-License-Identifier: MIT
#include "profile/text/parser.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "profile/weights.h"

#define TOKEN_MAX	 96
#define ROWS_TEXT_MAX	 96
#define CHOICES_TEXT_MAX 96
#define ROW_OF_DIGITS	 99 /* as `filled`: not by a list of its own */

/* Where the numbers of a key go. */
struct target {
	const struct schema_row *row;
	void *numbers;
	/* Values so far, of pairs where the next number goes; of rows in each of them. */
	uint32_t *filled;
};

uint32_t *parse_filled(struct parser *r, enum schema_section section, const char *key,
		       uint32_t instance, int label)
{
	const struct schema_row *row = schema_row(section, key, label >= 0);
	uint32_t slots = row->row_count ? row->row_count : 1;

	return &r->filled[row - schema_rows][instance][label < 0 ? 0 : (uint32_t)label * slots];
}

static int store(struct parser *r, const struct target *t, const char *name, uint32_t index,
		 uint64_t min, const char *text)
{
	const struct schema_row *row = t->row;
	uint64_t value, max = !index && row->first_max ? row->first_max : row->max;

	if (index >= row->count)
		return parse_fail(r, "'%s' has more than %u value%s", name, row->count,
				  row->count == 1 ? "" : "s");
	if (row->parse && (row->parse(text, &value) || value < min || value > max))
		return parse_fail(r, "'%s': '%.32s' is not %s", name, text, row->like);
	if (!row->parse && units_parse_count(text, min, max, &value))
		return parse_fail(r, "'%s': '%s' is not a number from %llu to %llu", name, text,
				  (unsigned long long)min, (unsigned long long)max);
	if (row->shape == SCHEMA_NUMBER)
		value -= row->first_index;
	if (row->wide)
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
	return parse_fail(r, "'%s': index %zu is given twice", name, index + t->row->first_index);
}

/* "index>digits"; a 0 says as little as an index that is not there. */
static int store_run(struct parser *r, const struct target *t, const char *name, uint32_t index,
		     const char *digits)
{
	uint32_t weights[TOKEN_MAX], *numbers = t->numbers, first = t->row->first_index;
	size_t length = strlen(digits);
	int err;

	if (!length)
		return parse_fail(r, "'%s': no digits follow '%u>'", name, index + first);
	if (length > t->row->count - index)
		return parse_fail(r, "'%s': '%s' goes on behind index %u, the last", name, digits,
				  first + t->row->count - 1);
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
static int store_pair(struct parser *r, void *context, const char *name, char *token)
{
	const struct target *t = context;
	char *mark = strpbrk(token, ":>"), sign = mark ? *mark : 0;
	uint32_t first = t->row->first_index, last = first + t->row->count - 1;
	uint64_t index = *t->filled;

	if (!mark && !index)
		return parse_fail(r, "'%s': '%s' is not index:weight", name, token);
	if (!mark && index == t->row->count)
		return parse_fail(r, "'%s': '%s' comes behind index %u, the last", name, token,
				  last);
	if (mark) {
		*mark = 0;
		if (units_parse_count(token, first, last, &index))
			return parse_fail(r, "'%s': '%s' is not an index from %u to %u", name,
					  token, first, last);
		index -= first;
	}
	if (sign == '>')
		return store_run(r, t, name, (uint32_t)index, mark + 1);
	if (((uint32_t *)t->numbers)[index])
		return given_twice(r, t, name, index);
	*t->filled = (uint32_t)index + 1;
	return store(r, t, name, (uint32_t)index, mark ? t->row->min : 0, mark ? mark + 1 : token);
}

int parse_bytes(const char *text, uint64_t min, uint64_t max, uint64_t *bytes)
{
	return units_parse_bytes(text, bytes) || *bytes < min || *bytes > max ? -EINVAL : 0;
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

static int store_next(struct parser *r, void *context, const char *name, char *token)
{
	const struct target *t = context;

	return store(r, t, name, (*t->filled)++, t->row->min, token);
}

/* Index of the row or label that a name like "gap.17" ends with; -1: there is no such row. */
static int index_of(const char *text, const unsigned int *names, uint32_t first, uint32_t count)
{
	uint64_t number;

	if (units_parse_count(text, 0, UINT32_MAX, &number))
		return -1;
	for (uint32_t i = 0; i < count; i++)
		if (number == (names ? names[i] : first + i))
			return (int)i;
	return -1;
}

/* "'33' is none of the rows 2 3 4 8" */
static int no_such_row(struct parser *r, const struct schema_row *row, const char *name,
		       const char *text)
{
	char rows[ROWS_TEXT_MAX] = "";

	for (unsigned int i = 0; i < row->row_count; i++)
		snprintf(rows + strlen(rows), sizeof(rows) - strlen(rows), " %u",
			 row->row_names ? row->row_names[i] : i);
	return parse_fail(r, "'%s': '%s' is none of the rows%s", name, text, rows);
}

/* "row:digits" */
static int store_row(struct parser *r, void *context, const char *name, char *token)
{
	const struct target *t = context;
	char *colon = strchr(token, ':');
	int row;

	if (!colon || !colon[1])
		return parse_fail(r, "'%s': '%s' is not row:digits", name, token);
	*colon = 0;
	row = index_of(token, t->row->row_names, 0, t->row->row_count);
	if (row < 0)
		return no_such_row(r, t->row, name, token);
	if (t->filled[row])
		return parse_fail(r, "'%s': row %s is given twice", name, token);
	if (strlen(colon + 1) > t->row->count)
		return parse_fail(r, "'%s': row %s has %zu weights, but at most %u", name, token,
				  strlen(colon + 1), t->row->count);
	t->filled[row] = ROW_OF_DIGITS;
	return parse_digits(r, name, colon + 1,
			    (uint32_t *)t->numbers + (size_t)row * t->row->count);
}

static int size_of(struct parser *r, const struct schema_row *row, const char *name,
		   const char *text, uint64_t *bytes)
{
	bool is_size = !parse_bytes(text, row->multiple, PROFILE_BYTES_MAX, bytes);

	if (row->multiple && (!is_size || *bytes % row->multiple))
		return parse_fail(r, "'%s': '%s' is not a multiple of %u from %u to %llu", name,
				  text, row->multiple, row->multiple,
				  (unsigned long long)PROFILE_BYTES_MAX);
	if (!is_size)
		return parse_fail(r,
				  "'%s': '%s' is not a number of bytes, of KiB (4K) or of MiB (2M)",
				  name, text);
	return 0;
}

/* "bytes:count", rising. */
static int store_size(struct parser *r, void *context, const char *name, char *token)
{
	const struct target *t = context;
	const struct schema_row *row = t->row;
	struct profile_size *size = (struct profile_size *)t->numbers + *t->filled;
	char *colon = strchr(token, ':');

	if (*t->filled == row->count)
		return parse_fail(r, "'%s' has more than %d sizes", name, row->count);
	if (!colon)
		return parse_fail(r, "'%s': '%s' is not bytes:%s", name, token,
				  row->multiple ? "files" : "ios");
	*colon = 0;
	if (size_of(r, row, name, token, &size->bytes))
		return -EINVAL;
	if (units_parse_count(colon + 1, row->min, row->max, &size->ios))
		return parse_fail(r, "'%s': '%s' is not a number of %s from %llu to %llu", name,
				  colon + 1, row->unit, (unsigned long long)row->min,
				  (unsigned long long)row->max);
	if (*t->filled && size->bytes <= size[-1].bytes)
		return parse_fail(r, "'%s': %s is out of order or given twice", name, token);
	++*t->filled;
	return 0;
}

/* "random" */
static int read_choice(struct parser *r, const struct schema_row *row, const char *name,
		       const char *value, uint32_t *chosen)
{
	char choices[CHOICES_TEXT_MAX] = "";

	for (uint32_t i = 0; row->names[i]; i++) {
		*chosen = i;
		if (!strcmp(value, row->names[i]))
			return 0;
		snprintf(choices + strlen(choices), sizeof(choices) - strlen(choices), "%s%s",
			 i ? ", " : "", row->names[i]);
	}
	return parse_fail(r, "'%s': '%.32s' is none of %s", name, value, choices);
}

/* "median worst", two numbers that may have a sign and decimals. */
static int read_figure(struct parser *r, const char *name, const char *value, double *median,
		       double *worst)
{
	char *first_end, *end;

	*median = strtod(value, &first_end);
	*worst = strtod(first_end, &end);
	if (first_end == value || end == first_end || *end || !isfinite(*median) ||
	    !isfinite(*worst))
		return parse_fail(r, "'%s': '%.40s' is not two numbers", name, value);
	return 0;
}

static int check_times(struct parser *r, struct closed_values *v, const char *name, uint32_t count)
{
	v->count = count;
	for (uint32_t i = 1; i < v->count; i++)
		if (v->at[i] < v->at[i - 1])
			return parse_fail(
				r, "'%s': %llu comes after %llu, but the values must rise", name,
				(unsigned long long)v->at[i], (unsigned long long)v->at[i - 1]);
	return 0;
}

/* Values of a key; `object` is what they are of, or where its other parts lie. */
static int read_values(struct parser *r, struct target t, bool one_row, const char *name,
		       const char *value, char *object)
{
	struct closed_values *times = t.numbers;
	int err;

	switch (t.row->shape) {
	case SCHEMA_PAIRS:
		return parse_each_token(r, name, value, store_pair, &t);
	case SCHEMA_ROWS:
		return parse_each_token(r, name, value, one_row ? store_next : store_row, &t);
	case SCHEMA_SIZES:
		err = parse_each_token(r, name, value, store_size, &t);
		*(uint32_t *)(object + t.row->other_at) = *t.filled;
		return err;
	case SCHEMA_TIMES:
		t.numbers = times->at;
		return parse_each_token(r, name, value, store_next, &t)
			       ?: check_times(r, times, name, *t.filled);
	case SCHEMA_CHOICE:
		*t.filled = 1;
		return read_choice(r, t.row, name, value, t.numbers);
	case SCHEMA_FIGURE:
		*t.filled = 1;
		return read_figure(r, name, value, t.numbers, (double *)(object + t.row->other_at));
	default:
		return parse_each_token(r, name, value, store_next, &t);
	}
}

/* Whether a key that has values begins anew, where the line does not go on with them. */
static bool is_twice(struct parser *r, const struct target *t, bool one_row)
{
	bool begun = false;

	if (t->row->shape != SCHEMA_ROWS || one_row)
		begun = *t->filled;
	else
		for (uint32_t i = 0; i < t->row->row_count; i++)
			begun = begun || t->filled[i] == ROW_OF_DIGITS;
	return begun &&
	       (!r->lines.continues || (t->row->count <= 1 && t->row->shape != SCHEMA_NUMBER));
}

/* `sub` is the row that the key names, or -1. */
static int read_row(struct parser *r, const struct schema_row *row, uint32_t instance, int label,
		    int sub, const char *name, const char *value)
{
	char *table = schema_table(row, r->p, instance, label < 0 ? 0 : (uint32_t)label);
	struct target t = {row, table,
			   parse_filled(r, row->section, row->same_as ? row->same_as : row->key,
					instance, label)};
	int err;

	if (sub >= 0) {
		t.numbers = (uint32_t *)t.numbers + (size_t)sub * row->count;
		t.filled += sub;
	}
	if (!*value && (!row->read || row->count > 1))
		return parse_fail(r, "'%s' has no value", name);
	if (row->early && r->p->stream_count)
		return parse_fail(r, "'%s' must stand before the first [stream]", name);
	if (is_twice(r, &t, sub >= 0))
		return parse_fail(r, "'%s' is given twice", name);
	if (row->read) {
		err = row->read(r, instance, name, value);
		*t.filled = 1;
		return err;
	}
	if (row->known_at)
		*(bool *)(table - row->at + row->known_at) = true;
	return read_values(r, t, sub >= 0, name, value, table - row->at);
}

/* Whether the name behind the key says a label, and a row where there are rows. */
static bool is_label(const struct schema_row *row, const char *text, int *label, int *sub)
{
	const char *dot = strchr(text, '.');
	size_t length = dot ? (size_t)(dot - text) : strlen(text);
	char part[12];

	if (!length || length >= sizeof(part) || (dot && !row->row_count))
		return false;
	memcpy(part, text, length);
	part[length] = 0;
	*label = index_of(part, row->labels.names, row->labels.first, row->labels.count);
	*sub = dot ? index_of(dot + 1, row->row_names, 0, row->row_count) : -1;
	return *label >= 0 && (!dot || *sub >= 0);
}

static int unknown_key(struct parser *r, enum schema_section section, uint32_t instance,
		       const char *name)
{
	char called[24];

	if (!strcmp(name, "include"))
		return parse_fail(r,
				  "a profile includes no other file; 'blkreel profile mix' joins "
				  "several");
	parse_section_name(section, instance, called);
	return parse_fail(r, "[%s] has no key '%s'", called, name);
}

int parse_key(struct parser *r, enum schema_section section, uint32_t instance, const char *name,
	      const char *value)
{
	for (const struct schema_row *row = schema_rows; row->key; row++) {
		size_t length = strlen(row->key);
		int label = -1, sub = -1;

		if (row->section != section || strncmp(name, row->key, length))
			continue;
		if (row->labels.count
			    ? name[length] != '.' || !is_label(row, name + length + 1, &label, &sub)
			    : name[length])
			continue;
		return read_row(r, row, instance, label, sub, name, value);
	}
	return unknown_key(r, section, instance, name);
}
