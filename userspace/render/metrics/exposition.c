// SPDX-License-Identifier: MIT
#include "render/metrics/exposition.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "trace/tables/json_text.h"

#define NUMBER_MAX    32
#define SECOND_DIGITS 9
#define BOUND_END     "\"} "
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

/* name_end{labels} and the blank before the value. */
static void begin_sample(struct exposition *x, const char *end, const char *labels)
{
	put_text(x, x->name);
	put_text(x, end);
	if (*labels) {
		put(x, "{", 1);
		put_text(x, labels);
		put(x, "}", 1);
	}
	put(x, " ", 1);
}

static const char *end_of(const struct exposition *x)
{
	return x->type == METRIC_COUNTER ? "_total" : x->type == METRIC_INFO ? "_info" : "";
}

/* Room for a text that is not longer, which end_text() makes part of the answer. */
static char *begin_text(struct exposition *x, size_t most)
{
	if (sizeof(x->text) - x->used < most)
		flush(x);
	return x->text + x->used;
}

static void end_text(struct exposition *x, const char *end)
{
	x->used = (size_t)(end - x->text);
}

static void put_number(struct exposition *x, uint64_t value)
{
	char *text = begin_text(x, NUMBER_MAX);

	text += digits(value, text);
	*text++ = '\n';
	end_text(x, text);
}

static void put_seconds(struct exposition *x, uint64_t time_ns)
{
	char *text = begin_text(x, NUMBER_MAX);

	text += seconds_text(time_ns, text);
	*text++ = '\n';
	end_text(x, text);
}

void exposition__value(struct exposition *x, const char *labels, uint64_t value)
{
	begin_sample(x, end_of(x), labels);
	put_number(x, value);
}

void exposition__seconds(struct exposition *x, const char *labels, uint64_t time_ns)
{
	begin_sample(x, end_of(x), labels);
	put_seconds(x, time_ns);
}

/* The ends of the buckets, with what is around them: they are the same in each histogram of a
 * family. */
static void write_bounds(struct exposition *x, unsigned int buckets, unsigned int first_bits)
{
	for (unsigned int i = 0; i + 1 < buckets; i++) {
		size_t length = seconds_text(1ull << (first_bits + i), x->bounds[i]);

		memcpy(x->bounds[i] + length, BOUND_END, sizeof(BOUND_END) - 1);
		x->bound_bytes[i] = length + sizeof(BOUND_END) - 1;
	}
	memcpy(x->bounds[buckets - 1], "+Inf" BOUND_END, sizeof("+Inf" BOUND_END) - 1);
	x->bound_bytes[buckets - 1] = sizeof("+Inf" BOUND_END) - 1;
	x->bound_count = buckets;
	x->first_bits = first_bits;
}

/* name_bucket{labels,le=" */
static char *bucket_begin(const struct exposition *x, const char *labels, size_t *bytes)
{
	static const char middle[] = "_bucket{", end[] = "le=\"";
	size_t name = strlen(x->name), length = strlen(labels);
	char *text = malloc(name + length + sizeof(middle) + sizeof(end)), *at = text;

	if (!text)
		return NULL;
	at = mempcpy(at, x->name, name);
	at = mempcpy(at, middle, sizeof(middle) - 1);
	at = mempcpy(at, labels, length);
	if (length)
		*at++ = ',';
	at = mempcpy(at, end, sizeof(end) - 1);
	*bytes = (size_t)(at - text);
	return text;
}

void exposition__exemplars(struct exposition *x, const struct exposition_exemplar *exemplars,
			   unsigned int count)
{
	x->exemplars = exemplars;
	x->exemplar_count = x->format == EXPOSITION_OPENMETRICS ? count : 0;
}

/* " # {labels} value time" of this bucket. */
static void put_exemplar(struct exposition *x, unsigned int bucket)
{
	for (unsigned int i = 0; i < x->exemplar_count; i++) {
		const struct exposition_exemplar *e = &x->exemplars[i];
		char *text;

		if (e->bucket != bucket)
			continue;
		put_text(x, " # {");
		put_text(x, e->labels);
		put_text(x, "} ");
		text = begin_text(x, 2 * NUMBER_MAX);
		text += seconds_text(e->value_ns, text);
		*text++ = ' ';
		text += seconds_text(e->time_ns, text);
		end_text(x, text);
	}
}

static void put_bucket(struct exposition *x, unsigned int bucket, uint64_t count, bool is_empty)
{
	char *text = begin_text(x, EXPOSITION_BOUND_MAX + NUMBER_MAX);

	memcpy(text, x->bounds[bucket], EXPOSITION_BOUND_MAX);
	text += x->bound_bytes[bucket];
	text += digits(count, text);
	end_text(x, text);
	if (!is_empty)
		put_exemplar(x, bucket);
	put(x, "\n", 1);
}

void exposition__histogram(struct exposition *x, const char *labels, const uint64_t *counts,
			   unsigned int buckets, unsigned int first_bits, uint64_t sum_ns)
{
	uint64_t count = 0;
	bool is_empty = true;
	size_t begin_bytes;
	char *begin = bucket_begin(x, labels, &begin_bytes);

	if (!begin) {
		x->error = -ENOMEM;
		return;
	}
	if (x->bound_count != buckets || x->first_bits != first_bits)
		write_bounds(x, buckets, first_bits);
	for (unsigned int i = 0; i < buckets; i++)
		is_empty &= !counts[i];
	for (unsigned int i = 0; i < buckets; i++) {
		count += counts[i];
		put(x, begin, begin_bytes);
		put_bucket(x, i, count, is_empty);
	}
	x->exemplar_count = 0;
	free(begin);
	begin_sample(x, "_sum", labels);
	put_seconds(x, sum_ns);
	begin_sample(x, "_count", labels);
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

/* ,name=" */
static bool begin_label(char *labels, size_t size, size_t *used, const char *name)
{
	size_t length = strlen(name);
	char *at = labels + *used;

	if (*used + length + 5 > size)
		return false;
	if (*used)
		*at++ = ',';
	at = mempcpy(at, name, length);
	*at++ = '=';
	*at++ = '"';
	*used = (size_t)(at - labels);
	return true;
}

void exposition_label(char *labels, size_t size, const char *name, const char *value)
{
	size_t used = strlen(labels), before = used;
	char *safe = NULL;

	if (!*value)
		return;
	if (!is_plain(value) || !strncmp(value, UNSAFE_PREFIX, strlen(UNSAFE_PREFIX))) {
		safe = readable(value);
		if (!safe)
			return;
		value = safe;
	}
	if (!begin_label(labels, size, &used, name) ||
	    !append_escaped(labels + used, size - used - 1, value))
		labels[before] = '\0';
	else
		strcat(labels + used, "\"");
	free(safe);
}
