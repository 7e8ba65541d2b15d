// SPDX-License-Identifier: MIT
#include "render/table.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#define COLUMN_GAP    2
#define NARROW_GAP    1
#define CELL_KEPT_MIN 16u

struct table {
	char sides[TABLE_COLUMNS_MAX + 1];
	unsigned int columns;
	unsigned int gap; /* between columns */
	char **cells;	  /* row after row */
	size_t count, allocated;
	int err;
};

struct table *table__new(const char *columns)
{
	struct table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	snprintf(t->sides, sizeof(t->sides), "%s", columns);
	t->columns = (unsigned int)strlen(t->sides);
	t->gap = COLUMN_GAP;
	return t;
}

void table__free(struct table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->count; i++)
		free(t->cells[i]);
	free(t->cells);
	free(t);
}

/* Continuation bytes of UTF-8 take no column of their own. */
static unsigned int columns_of(const char *text)
{
	unsigned int columns = 0;

	for (; *text; text++)
		columns += ((unsigned char)*text & 0xc0) != 0x80;
	return columns;
}

static bool is_control(char byte)
{
	return (unsigned char)byte < 0x20 || byte == 0x7f;
}

static void tame(char *text)
{
	for (; *text; text++)
		if (is_control(*text))
			*text = '?';
}

void text_printf(FILE *out, const char *fmt, ...)
{
	va_list args;
	char *text, *end;
	int length;

	va_start(args, fmt);
	length = vasprintf(&text, fmt, args);
	va_end(args);
	if (length < 0) {
		fputs("(no memory for this line)\n", out);
		return;
	}
	end = text + length;
	while (end > text && end[-1] == '\n')
		end--;
	for (char *at = text + strspn(text, "\n"); at < end; at++)
		if (is_control(*at))
			*at = '?';
	fputs(text, out);
	free(text);
}

static int make_room(struct table *t)
{
	size_t allocated = t->allocated ? 2 * t->allocated : 64;
	char **cells;

	if (t->count < t->allocated)
		return 0;
	cells = realloc(t->cells, allocated * sizeof(*cells));
	if (!cells)
		return -ENOMEM;
	t->cells = cells;
	t->allocated = allocated;
	return 0;
}

void table__cell(struct table *t, const char *fmt, ...)
{
	va_list args;
	char *text;
	int length;

	if (!t || t->err)
		return;
	t->err = make_room(t);
	if (t->err)
		return;
	va_start(args, fmt);
	length = vasprintf(&text, fmt, args);
	va_end(args);
	if (length < 0) {
		t->err = -ENOMEM;
		return;
	}
	tame(text);
	t->cells[t->count++] = text;
}

void table__end_row(struct table *t)
{
	while (t && !t->err && t->count % t->columns)
		table__cell(t, "%s", "");
}

size_t table__rows(const struct table *t)
{
	return t ? (t->count + t->columns - 1) / t->columns : 0;
}

static void print_row(const struct table *t, size_t first, const unsigned int *widths,
		      unsigned int indent, FILE *out)
{
	unsigned int blanks = indent;

	for (unsigned int column = 0; column < t->columns; column++) {
		const char *text = first + column < t->count ? t->cells[first + column] : "";
		unsigned int missing = widths[column] - columns_of(text);
		bool is_right = t->sides[column] == 'r';

		if (*text)
			fprintf(out, "%*s%s", (int)(blanks + (is_right ? missing : 0)), "", text);
		/* blanks are printed before the next cell, so that no line ends in blanks */
		blanks = (*text ? (is_right ? 0 : missing) : blanks + missing) + t->gap;
	}
	fputc('\n', out);
}

static void measure(const struct table *t, unsigned int widths[TABLE_COLUMNS_MAX])
{
	memset(widths, 0, TABLE_COLUMNS_MAX * sizeof(*widths));
	for (size_t i = 0; i < t->count; i++) {
		unsigned int columns = columns_of(t->cells[i]);

		if (columns > widths[i % t->columns])
			widths[i % t->columns] = columns;
	}
}

/* 0: no terminal. */
static unsigned int width_of(FILE *out)
{
	struct winsize size;

	if (ioctl(fileno(out), TIOCGWINSZ, &size))
		return 0;
	if (size.ws_col <= TEXT_WIDTH)
		return TEXT_WIDTH;
	return size.ws_col <= TABLE_WIDTH_MAX ? size.ws_col - 1u : TABLE_WIDTH_MAX;
}

/* Columns that all but `column` take. */
static unsigned int others_width(const struct table *t, const unsigned int *widths,
				 unsigned int column)
{
	unsigned int width = (t->columns - 1) * t->gap;

	for (unsigned int i = 0; i < t->columns; i++)
		width += i == column ? 0 : widths[i];
	return width;
}

void table__fit(struct table *t, unsigned int column, unsigned int indent, FILE *out)
{
	unsigned int widths[TABLE_COLUMNS_MAX], others, kept = CELL_KEPT_MIN;
	unsigned int width = width_of(out);
	char text[TABLE_WIDTH_MAX + 1];

	if (!t || t->err)
		return;
	measure(t, widths);
	others = indent + others_width(t, widths, column);
	if (!width)
		width = others + TABLE_WIDTH_MAX;
	if (others + widths[column] <= width)
		return;
	if (others + kept > width) {
		t->gap = NARROW_GAP;
		others = indent + others_width(t, widths, column);
	}
	if (others + kept < width)
		kept = width - others;
	for (size_t i = column; i < t->count; i += t->columns)
		if (columns_of(t->cells[i]) > kept) /* a cut text is never longer than it was */
			strcpy(t->cells[i], text_cut(t->cells[i], kept, text));
}

int table__print(const struct table *t, FILE *out, unsigned int indent)
{
	unsigned int widths[TABLE_COLUMNS_MAX];

	if (!t || t->err) {
		fputs("(no memory for this table)\n", out);
		return -ENOMEM;
	}
	measure(t, widths);
	for (size_t i = 0; i < t->count; i += t->columns)
		print_row(t, i, widths, indent, out);
	return ferror(out) ? -EIO : 0;
}

/* A command can have several lines. */
static char shown(char byte)
{
	if (byte == '\n' || byte == '\t')
		return ' ';
	return is_control(byte) ? '?' : byte;
}

/* A number stays with its per cent sign. */
static size_t word_length(const char *text)
{
	size_t length = strcspn(text, " ");

	if (text[length] == ' ' && text[length + 1] == '%')
		length += 1 + strcspn(text + length + 1, " ");
	return length;
}

void text_wrapped(FILE *out, const char *first, const char *text)
{
	unsigned int indent = columns_of(first), at = indent;
	bool is_line_start = true;

	text_printf(out, "%s", first);
	while (*text) {
		size_t length = word_length(text);
		unsigned int columns = 0;

		for (size_t i = 0; i < length; i++)
			columns += ((unsigned char)text[i] & 0xc0) != 0x80;
		if (!is_line_start && at + 1 + columns > TEXT_WIDTH) {
			fprintf(out, "\n%*s", (int)indent, "");
			at = indent;
			is_line_start = true;
		}
		if (!is_line_start) {
			fputc(' ', out);
			at++;
		}
		for (size_t i = 0; i < length; i++)
			fputc(shown(text[i]), out);
		at += columns;
		is_line_start = false;
		text += length;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

#define CUT_MARK  3u /* "..." */
#define TAIL_PART 2u /* of what is left of a name, its end */

/* A cut must not leave the rest of a UTF-8 character. */
static const char *whole_character(const char *text)
{
	while (((unsigned char)*text & 0xc0) == 0x80)
		text++;
	return text;
}

/* Where a cut after `length` bytes leaves whole characters. */
static size_t whole_length(const char *text, size_t length)
{
	while (length && ((unsigned char)text[length] & 0xc0) == 0x80)
		length--;
	return length;
}

const char *text_cut(const char *text, unsigned int width, char *buffer)
{
	size_t length = strlen(text);
	unsigned int tail = width > CUT_MARK ? width - CUT_MARK : 0, head = 0;

	if (length <= width) {
		snprintf(buffer, width + 1, "%s", text);
		return buffer;
	}
	if (!tail) {
		snprintf(buffer, width + 1, "%.*s", (int)width, text);
		return buffer;
	}
	if (!strchr(text, '/')) {
		head = (unsigned int)whole_length(text, tail - tail / TAIL_PART);
		tail /= TAIL_PART;
	}
	snprintf(buffer, width + 1, "%.*s...%s", (int)head, text,
		 whole_character(text + length - tail));
	return buffer;
}
