// SPDX-License-Identifier: MIT
#include "render/json.h"

#include <errno.h>
#include <math.h>
#include <string.h>

json_t *json_document(const char *name)
{
	return json_pack("{s:o}", "schema", json_sprintf("blkreel.%s/1", name));
}

json_t *json_distribution(const struct histogram *h)
{
	struct distribution d;
	json_t *object = json_object();

	histogram_distribution(h, &d);
	json_set_u64(object, "count", d.count);
	json_set_u64(object, "min", d.min);
	json_set_real(object, "mean", d.mean);
	json_set_u64(object, "p50", d.p50);
	json_set_u64(object, "p90", d.p90);
	json_set_u64(object, "p99", d.p99);
	json_set_u64(object, "p99_9", d.p99_9);
	json_set_u64(object, "max", d.max);
	return object;
}

void json_set_u64(json_t *object, const char *key, uint64_t value)
{
	json_object_set_new(object, key,
			    json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value));
}

/* Names of files and processes are bytes; bytes that are not UTF-8 are shown as \xNN. */
static json_t *text_or_escaped(const char *text)
{
	json_t *value = json_string(text);
	size_t length = strlen(text), used = 0;
	char *escaped;

	if (value)
		return value;
	escaped = malloc(4 * length + 1);
	if (!escaped)
		return json_null();
	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)text[i];

		if (byte < 0x80)
			escaped[used++] = (char)byte;
		else
			used += (size_t)sprintf(escaped + used, "\\x%02x", byte);
	}
	escaped[used] = '\0';
	value = json_string(escaped);
	free(escaped);
	return value;
}

void json_set_text(json_t *object, const char *key, const char *text)
{
	json_object_set_new(object, key, text_or_escaped(text));
}

void json_set_real(json_t *object, const char *key, double value)
{
	json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_null());
}

void json_set_bool(json_t *object, const char *key, int value)
{
	json_object_set_new(object, key, json_boolean(value));
}

int json_print(FILE *out, json_t *document)
{
	int err = json_dumpf(document, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12));

	json_decref(document);
	if (err || fputc('\n', out) == EOF)
		return -EIO;
	return 0;
}
