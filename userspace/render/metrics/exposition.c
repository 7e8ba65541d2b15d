// SPDX-License-Identifier: MIT
#include "render/metrics/exposition.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "trace/tables/json_text.h"

#define NUMBER_MAX    32
#define SECOND_DIGITS 9
#define UNSAFE_PREFIX "escaped:" /* no path and no name of a runtime begins so */

static void flush(struct exposition *x)
{
	if (x->used && !x->error)
		x->error = x->sink(x->text, x->used, x->context);
	x->used = 0;
}

static void put(struct exposition *x, const char *text, size_t bytes)
{
	while (bytes) {
		size_t room = sizeof(x->text) - x->used, piece = bytes < room ? bytes : room;

		memcpy(x->text + x->used, text, piece);
		x->used += piece;
		text += piece;
		bytes -= piece;
		if (x->used == sizeof(x->text))
			flush(x);
	}
}

static void put_text(struct exposition *x, const char *text)
{
	put(x, text, strlen(text));
}

static size_t digits(uint64_t value, char *text)
{
	char reversed[NUMBER_MAX];
	size_t count = 0;

	do
		reversed[count++] = (char)('0' + value % 10);
	while (value /= 10);
	for (size_t i = 0; i < count; i++)
		text[i] = reversed[count - 1 - i];
	return count;
}

/* Without zeroes at the end. */
static size_t seconds_text(uint64_t time_ns, char *text)
{
	uint64_t rest_ns = time_ns % NSEC_PER_SEC;
	size_t length = digits(time_ns / NSEC_PER_SEC, text);

	text[length++] = '.';
	for (uint64_t unit = NSEC_PER_SEC / 10; unit; unit /= 10)
		text[length++] = (char)('0' + rest_ns / unit % 10);
	while (text[length - 1] == '0' && text[length - 2] != '.')
		length--;
	return length;
}

void exposition__family(struct exposition *x, const char *name, enum metric_type type,
			const char *unit, const char *help)
{
	static const char *const types[] = {"counter", "gauge", "histogram", "info"};
	static const char *const ends[] = {"_total", "", "", "_info"};
	bool text = x->format == EXPOSITION_TEXT;
	char line[512];

	x->name = name;
	x->type = type;
	snprintf(line, sizeof(line), "# HELP %s%s %s\n# TYPE %s%s %s\n", name,
		 text ? ends[type] : "", help, name, text ? ends[type] : "",
		 text && type == METRIC_INFO ? "gauge" : types[type]);
	put_text(x, line);
	if (!unit || text)
		return;
	snprintf(line, sizeof(line), "# UNIT %s %s\n", name, unit);
	put_text(x, line);
}

/* name_end{labels,more} and the blank before the value. */
static void begin_sample(struct exposition *x, const char *end, const char *labels,
			 const char *more, size_t more_bytes)
{
	put_text(x, x->name);
	put_text(x, end);
	if (*labels || more_bytes) {
		put(x, "{", 1);
		put_text(x, labels);
		if (*labels && more_bytes)
			put(x, ",", 1);
		put(x, more, more_bytes);
		put(x, "}", 1);
	}
	put(x, " ", 1);
}

static const char *end_of(const struct exposition *x)
{
	return x->type == METRIC_COUNTER ? "_total" : x->type == METRIC_INFO ? "_info" : "";
}

static void put_number(struct exposition *x, uint64_t value)
{
	char text[NUMBER_MAX];
	size_t length = digits(value, text);

	text[length++] = '\n';
	put(x, text, length);
}

static void put_seconds(struct exposition *x, uint64_t time_ns)
{
	char text[NUMBER_MAX];
	size_t length = seconds_text(time_ns, text);

	text[length++] = '\n';
	put(x, text, length);
}

void exposition__value(struct exposition *x, const char *labels, uint64_t value)
{
	begin_sample(x, end_of(x), labels, "", 0);
	put_number(x, value);
}

void exposition__seconds(struct exposition *x, const char *labels, uint64_t time_ns)
{
	begin_sample(x, end_of(x), labels, "", 0);
	put_seconds(x, time_ns);
}

void exposition__histogram(struct exposition *x, const char *labels, const uint64_t *counts,
			   unsigned int buckets, unsigned int first_bits, uint64_t sum_ns)
{
	char le[NUMBER_MAX + 8] = "le=\"";
	uint64_t count = 0;
	size_t length;

	for (unsigned int i = 0; i + 1 < buckets; i++) {
		count += counts[i];
		length = 4 + seconds_text(1ull << (first_bits + i), le + 4);
		le[length++] = '"';
		begin_sample(x, "_bucket", labels, le, length);
		put_number(x, count);
	}
	count += counts[buckets - 1];
	begin_sample(x, "_bucket", labels, "le=\"+Inf\"", 9);
	put_number(x, count);
	begin_sample(x, "_sum", labels, "", 0);
	put_seconds(x, sum_ns);
	begin_sample(x, "_count", labels, "", 0);
	put_number(x, count);
}

int exposition__end(struct exposition *x)
{
	if (x->format == EXPOSITION_OPENMETRICS)
		put_text(x, "# EOF\n");
	flush(x);
	return x->error;
}

static bool is_plain(const char *value)
{
	for (; *value; value++)
		if ((unsigned char)*value < 0x20 || (unsigned char)*value > 0x7e)
			return false;
	return true;
}

/* A backslash, a quote and a line feed are escaped. */
static bool append_escaped(char *to, size_t size, const char *value)
{
	size_t used = 0;

	for (; *value; value++) {
		if (used + 3 > size)
			return false;
		if (*value == '\\' || *value == '"' || *value == '\n')
			to[used++] = '\\';
		to[used++] = *value == '\n' ? 'n' : *value;
	}
	to[used] = '\0';
	return true;
}

/*
 * UTF-8 stays as it is. Where a name has control characters or bytes that are not UTF-8, all of it
 * is escaped as \xHH, and marked: no other name may become the same text, since Prometheus refuses
 * everything if two samples have the same labels.
 */
static char *readable(const char *value)
{
	size_t length = strlen(value), offset = strlen(UNSAFE_PREFIX);
	char *text = malloc(offset + JSON_TEXT_ESCAPED_MAX(length));

	if (!text)
		return NULL;
	memcpy(text, UNSAFE_PREFIX, offset);
	json_text_printable(value, length, text + offset);
	if (!strcmp(text + offset, value))
		memmove(text, text + offset, length + 1);
	return text;
}

void exposition_label(char *labels, size_t size, const char *name, const char *value)
{
	size_t used = strlen(labels), before = used, room;
	char *safe = NULL;
	bool fits;
	int length;

	if (!*value)
		return;
	if (!is_plain(value) || !strncmp(value, UNSAFE_PREFIX, strlen(UNSAFE_PREFIX))) {
		safe = readable(value);
		if (!safe)
			return;
		value = safe;
	}
	room = size - used;
	length = snprintf(labels + used, room, "%s%s=\"", used ? "," : "", name);
	fits = length > 0 && (size_t)length + 2 < room;
	used += (size_t)length;
	fits = fits && append_escaped(labels + used, size - used - 1, value);
	free(safe);
	if (fits)
		strcat(labels + used, "\"");
	else
		labels[before] = '\0';
}
