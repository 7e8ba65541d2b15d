// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/dump/emitter.h"
#include "trace/rows.h"
#include "trace/tables/json_text.h"

/* The buffer is written out before a row that might not fit: rows hold at most two paths. */
#define BUFFER_BYTES  (1u << 20)
#define ROW_BYTES_MAX (1u << 18)
#define TEXT_BYTES    (TRACE_PATH_MAX - 1)

struct emitter {
	FILE *out;
	enum row_format format;
	bool header, first, failed;
	size_t used;
	char escaped[JSON_TEXT_ESCAPED_MAX(TEXT_BYTES)];
	char buffer[BUFFER_BYTES];
};

struct emitter *emitter__new(FILE *out, enum row_format format)
{
	struct emitter *e = malloc(sizeof(*e));

	if (!e)
		return NULL;
	e->out = out;
	e->format = format;
	e->header = e->first = e->failed = false;
	e->used = 0;
	return e;
}

void emitter__free(struct emitter *e)
{
	free(e);
}

enum row_format emitter__format(const struct emitter *e)
{
	return e->format;
}

int emitter__flush(struct emitter *e)
{
	if (fwrite(e->buffer, 1, e->used, e->out) != e->used)
		e->failed = true;
	e->used = 0;
	return e->failed ? -EIO : 0;
}

static void put(struct emitter *e, char byte)
{
	e->buffer[e->used++] = byte;
}

static void put_bytes(struct emitter *e, const char *bytes, size_t count)
{
	memcpy(e->buffer + e->used, bytes, count);
	e->used += count;
}

void emitter__begin(struct emitter *e, bool header)
{
	if (BUFFER_BYTES - e->used < ROW_BYTES_MAX)
		emitter__flush(e);
	e->header = header;
	e->first = true;
	if (e->format == FORMAT_JSON && !header)
		put(e, '{');
}

void emitter__end(struct emitter *e)
{
	if (e->format == FORMAT_JSON && e->header)
		return;
	while (e->format == FORMAT_TEXT && e->used && e->buffer[e->used - 1] == ' ')
		e->used--;
	if (e->format == FORMAT_JSON)
		put(e, '}');
	put(e, '\n');
}

static void pad(struct emitter *e, unsigned int width, size_t used)
{
	for (; used < width; used++)
		put(e, ' ');
}

/* The separator before a field and, in JSON, its name. */
static void open_field(struct emitter *e, const char *name)
{
	if (!e->first)
		put(e, e->format == FORMAT_TEXT ? ' ' : ',');
	e->first = false;
	if (e->format != FORMAT_JSON)
		return;
	put(e, '"');
	put_bytes(e, name, strlen(name));
	put_bytes(e, "\":", 2);
}

/* In the header: prints the name and returns true. */
static bool took_header(struct emitter *e, const char *name, unsigned int width, bool right)
{
	size_t length = strlen(name);

	if (!e->header)
		return false;
	if (e->format == FORMAT_JSON)
		return true;
	open_field(e, name);
	if (e->format == FORMAT_TEXT && right)
		pad(e, width, length);
	put_bytes(e, name, length);
	if (e->format == FORMAT_TEXT && !right)
		pad(e, width, length);
	return true;
}

/* Writes the digits right-aligned so that they end at `end`; returns their start. */
static char *digits(char *end, uint64_t value)
{
	do {
		*--end = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	return end;
}

static void put_field(struct emitter *e, const char *name, unsigned int width, const char *start,
		      const char *end)
{
	open_field(e, name);
	if (e->format == FORMAT_TEXT)
		pad(e, width, (size_t)(end - start));
	put_bytes(e, start, (size_t)(end - start));
}

void emit_number(struct emitter *e, const char *name, unsigned int width, uint64_t value)
{
	char text[24], *end = text + sizeof(text);

	if (!took_header(e, name, width, true))
		put_field(e, name, width, digits(end, value), end);
}

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

void emit_signed(struct emitter *e, const char *name, unsigned int width, int64_t value)
{
	char text[24], *end = text + sizeof(text), *start;

	if (took_header(e, name, width, true))
		return;
	start = digits(end, magnitude(value));
	if (value < 0)
		*--start = '-';
	put_field(e, name, width, start, end);
}

void emit_seconds(struct emitter *e, const char *name, unsigned int width, int64_t value_ns)
{
	char text[32], *end = text + sizeof(text), *start;
	uint64_t ns = magnitude(value_ns);

	if (took_header(e, name, width, true))
		return;
	start = digits(end, ns % 1000000000);
	while (end - start < 9)
		*--start = '0';
	*--start = '.';
	start = digits(start, ns / 1000000000);
	if (value_ns < 0)
		*--start = '-';
	put_field(e, name, width, start, end);
}

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t';
}

/* Readers of CSV, as import, take blanks at the ends of a field without quotes for none of it. */
static bool needs_quotes(const char *text, size_t length)
{
	return strpbrk(text, ",\"\r\n") ||
	       (length && (is_blank(text[0]) || is_blank(text[length - 1])));
}

static void put_csv_text(struct emitter *e, const char *text, size_t length)
{
	if (!needs_quotes(text, length)) {
		put_bytes(e, text, length);
		return;
	}
	put(e, '"');
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '"')
			put(e, '"');
		put(e, text[i]);
	}
	put(e, '"');
}

static void put_json_text(struct emitter *e, const char *text, size_t length)
{
	size_t bytes = json_text_escape(text, length, e->escaped);

	put(e, '"');
	for (size_t i = 0; i < bytes; i++) {
		unsigned char byte = (unsigned char)e->escaped[i];

		if (byte < 0x20) {
			e->used += (size_t)sprintf(e->buffer + e->used, "\\u%04x", byte);
			continue;
		}
		if (byte == '"' || byte == '\\')
			put(e, '\\');
		put(e, (char)byte);
	}
	put(e, '"');
}

/* Escapes control characters, which would move the cursor or break the line. */
static void put_plain_text(struct emitter *e, const char *text, size_t length, unsigned int width)
{
	size_t bytes = json_text_printable(text, length, e->escaped), columns = 0;

	put_bytes(e, e->escaped, bytes);
	for (size_t i = 0; i < bytes; i++)
		columns += ((unsigned char)e->escaped[i] & 0xc0) != 0x80;
	pad(e, width, columns);
}

void emit_text(struct emitter *e, const char *name, unsigned int width, const char *text)
{
	size_t length = strlen(text);

	if (took_header(e, name, width, false))
		return;
	length = length < TEXT_BYTES ? length : TEXT_BYTES;
	if (!length && e->format == FORMAT_TEXT) {
		text = "-";
		length = 1;
	}
	open_field(e, name);
	if (e->format == FORMAT_CSV)
		put_csv_text(e, text, length);
	else if (e->format == FORMAT_JSON)
		put_json_text(e, text, length);
	else
		put_plain_text(e, text, length, width);
}

void emit_unknown(struct emitter *e, const char *name, unsigned int width)
{
	static const char *const shown[] = {"-", "", "null"};
	const char *text = shown[e->format];

	if (!took_header(e, name, width, true))
		put_field(e, name, width, text, text + strlen(text));
}
