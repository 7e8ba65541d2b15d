// SPDX-License-Identifier: MIT
/* How a profile's text is written. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "profile/weights.h"
#include "profile/text/schema.h"

#define COLUMNS_MAX 96
#define RUN_MAX	    64 /* digits in a word */

/* The longest lists are windows and sizes, each number with what separates it. */
_Static_assert(PROFILE_WINDOWS_MAX * 21 < SCHEMA_TEXT_MAX &&
		       PROFILE_SIZES_MAX * 42 < SCHEMA_TEXT_MAX,
	       "a key has room for its values");

/* Where a key is written; its comment comes before the first line. */
struct saver {
	const struct profile *p;
	FILE *out;
	uint32_t instance;
	const struct schema_row *commented; /* NULL: its comment is written */
};

/* The words behind a key, each with a blank before it. */
struct words {
	char text[SCHEMA_TEXT_MAX];
	size_t used;
};

static __attribute__((format(printf, 2, 3))) void add(struct words *w, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	w->used += (size_t)vsnprintf(w->text + w->used, sizeof(w->text) - w->used, format, args);
	va_end(args);
}

static void save_comment(struct saver *s)
{
	const struct schema_row *row = s->p->without_comments ? NULL : s->commented;

	s->commented = NULL;
	if (row && row->comment)
		fprintf(s->out, "# %s\n", row->comment);
	if (row && row->say)
		row->say(s->p, s->instance, s->out);
}

/* Goes on in lines that begin with blanks. */
static void save_line(struct saver *s, const char *key, struct words *w)
{
	char *rest = NULL;
	int column;

	save_comment(s);
	column = fprintf(s->out, "%s =", key);
	for (char *word = strtok_r(w->text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (column + 1 + (int)strlen(word) > COLUMNS_MAX)
			column = fprintf(s->out, "\n       ") - 1;
		column += fprintf(s->out, " %s", word);
	}
	fputc('\n', s->out);
}

static uint64_t number_at(const struct schema_row *row, const void *numbers, uint32_t i)
{
	return row->wide ? ((const uint64_t *)numbers)[i] : ((const uint32_t *)numbers)[i];
}

static void add_numbers(struct words *w, const struct schema_row *row, const void *numbers,
			uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		add(w, " %" PRIu64,
		    number_at(row, numbers, i) +
			    (row->shape == SCHEMA_NUMBER ? row->first_index : 0));
}

/* Without the zeros at the end. */
static uint32_t trimmed(const struct schema_row *row, const void *numbers)
{
	uint32_t count = row->count;

	while (count && !number_at(row, numbers, count - 1))
		count--;
	return count;
}

static uint32_t skip_zeros(const uint32_t *weights, uint32_t count, uint32_t i)
{
	while (i < count && !weights[i])
		i++;
	return i;
}

/* " 12:" and " 12>" */
static uint32_t index_chars(uint32_t index)
{
	return index < 10 ? 3 : index < 100 ? 4 : 5;
}

/* "12:5 3 0 1 40:2": an index only where that is shorter than zeros. */
static void write_pairs(struct words *w, const uint32_t *weights, uint32_t count, uint32_t first)
{
	uint32_t next = 0; /* the index that a number alone stands for */

	for (uint32_t i = skip_zeros(weights, count, 0); i < count;
	     i = skip_zeros(weights, count, i + 1)) {
		if (!next || 2 * (i - next) + 1 >= index_chars(i + first)) {
			add(w, " %" PRIu32 ":%" PRIu32, i + first, weights[i]);
		} else {
			for (; next < i; next++)
				add(w, " 0");
			add(w, " %" PRIu32, weights[i]);
		}
		next = i + 1;
	}
}

/* "12>5301 40>2" */
static void write_runs(struct words *w, const uint32_t *weights, uint32_t count, uint32_t first)
{
	uint32_t begin = 0, next = 0;

	for (uint32_t i = skip_zeros(weights, count, 0); i < count;
	     i = skip_zeros(weights, count, i + 1)) {
		if (!next || i - next >= index_chars(i + first) || i - begin >= RUN_MAX) {
			add(w, " %" PRIu32 ">", i + first);
			begin = next = i;
		}
		for (; next <= i; next++)
			add(w, "%c", digit_of(weights[next]));
	}
}

static bool all_digits(const uint32_t *weights, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (weights[i] > DIGIT_MAX)
			return false;
	return true;
}

/* The shortest form. */
static void add_pairs(struct words *w, const struct schema_row *row, const uint32_t *weights)
{
	struct words runs = {.used = 0};

	write_pairs(w, weights, row->count, row->first_index);
	if (!all_digits(weights, row->count))
		return;
	write_runs(&runs, weights, row->count, row->first_index);
	if (runs.used < w->used)
		*w = runs;
}

static void add_sizes(struct words *w, const struct profile_size *sizes, uint32_t count)
{
	static const char *const units[] = {"", "K", "M"};

	for (uint32_t i = 0; i < count; i++) {
		uint64_t bytes = sizes[i].bytes;
		unsigned int unit = 0;

		while (unit < 2 && bytes && bytes % 1024 == 0) {
			bytes /= 1024;
			unit++;
		}
		add(w, " %" PRIu64 "%s:%" PRIu64, bytes, units[unit], sizes[i].ios);
	}
}

/* "32:758ba5221001", without zeros at the end. */
static void add_row(struct words *w, unsigned int name, const uint32_t *weights, uint32_t count)
{
	add(w, " %u:", name);
	for (uint32_t i = 0; i < count; i++)
		add(w, "%c", digit_of(weights[i]));
}

/* How many numbers of a list are written. */
static uint32_t written(const struct schema_row *row, const struct profile *p, const void *numbers)
{
	if (row->extent == SCHEMA_ALL_OR_NONE)
		return trimmed(row, numbers) ? row->count : 0;
	return row->extent ? schema_extent(row, p) : trimmed(row, numbers);
}

/* Rows that are digits under the key, the others each under "key.row". */
static void save_rows(struct saver *s, const struct schema_row *row, const char *key,
		      const uint32_t *weights)
{
	struct words digits = {.used = 0};
	char name[64];

	for (uint32_t i = 0; i < row->row_count; i++) {
		uint32_t count = trimmed(row, weights + (size_t)i * row->count);

		if (count && all_digits(weights + (size_t)i * row->count, count))
			add_row(&digits, row->row_names ? row->row_names[i] : i,
				weights + (size_t)i * row->count, count);
	}
	if (digits.used)
		save_line(s, key, &digits);
	for (uint32_t i = 0; i < row->row_count; i++) {
		uint32_t count = trimmed(row, weights + (size_t)i * row->count);
		struct words numbers = {.used = 0};

		if (all_digits(weights + (size_t)i * row->count, count))
			continue;
		snprintf(name, sizeof(name), "%s.%u", key, row->row_names ? row->row_names[i] : i);
		add_numbers(&numbers, row, weights + (size_t)i * row->count, count);
		save_line(s, name, &numbers);
	}
}

/* `object` is where the other parts of the row lie. */
static void add_values(struct words *w, const struct schema_row *row, const struct profile *p,
		       const char *object, const void *table)
{
	const struct closed_values *times = table;
	const double *first = table;

	switch (row->shape) {
	case SCHEMA_NUMBER:
		if (!row->omit_0 || number_at(row, table, 0))
			add_numbers(w, row, table, 1);
		break;
	case SCHEMA_CHOICE:
		if (!row->omit_0 || number_at(row, table, 0))
			add(w, " %s", row->names[number_at(row, table, 0)]);
		break;
	case SCHEMA_PAIRS:
		add_pairs(w, row, table);
		break;
	case SCHEMA_TIMES:
		add_numbers(w, row, times->at, times->count);
		break;
	case SCHEMA_SIZES:
		add_sizes(w, table, *(const uint32_t *)(object + row->other_at));
		break;
	case SCHEMA_FIGURE:
		if (!isnan(*first))
			add(w, " %.4f %.4f", *first, *(const double *)(object + row->other_at));
		break;
	default:
		add_numbers(w, row, table, written(row, p, table));
	}
}

/* The key of a label, in each form that its rows need; nothing where there is nothing to say. */
static void save_key(struct saver *s, const struct schema_row *row, uint32_t label)
{
	const char *table = schema_table(row, (struct profile *)s->p, s->instance, label);
	const char *object = table - row->at;
	struct words words = {.used = 0};
	char key[48];

	if (row->same_as || (row->when && !row->when(s->p, s->instance, label)))
		return;
	if (!row->write && row->known_at && !*(const bool *)(object + row->known_at))
		return;
	schema_key(row, label, key);
	if (row->shape == SCHEMA_ROWS)
		save_rows(s, row, key, (const uint32_t *)table);
	else if (row->write)
		row->write(s->p, s->instance, words.text);
	else
		add_values(&words, row, s->p, object, table);
	if (*words.text)
		save_line(s, key, &words);
}

/* A row, and those that are joined with it, label by label. */
static void save_joined(struct saver *s, const struct schema_row *row, unsigned int count)
{
	s->commented = row;
	if (row->comment_always)
		save_comment(s);
	for (uint32_t label = 0; label == 0 || label < row->labels.count; label++)
		for (unsigned int i = 0; i < count; i++)
			if (!label || label < row[i].labels.count)
				save_key(s, &row[i], label);
}

static void save_section(const struct profile *p, enum schema_section section, uint32_t instance,
			 FILE *out)
{
	struct saver saver = {.p = p, .out = out, .instance = instance};
	const struct schema_row *row = schema_rows;
	bool alone = schema_names[section].alone && !instance;

	if (!schema_is_written(p, section, instance))
		return;
	fprintf(out, alone ? "%s[%s]\n" : "%s[%s %u]\n", section == SCHEMA_PROFILE ? "" : "\n",
		schema_names[section].name, instance + 1);
	while (row->key) {
		unsigned int joined = 1;

		while (row[joined].joined)
			joined++;
		if (row->section == section)
			save_joined(&saver, row, joined);
		row += joined;
	}
}

int profile__save(const struct profile *p, FILE *out)
{
	errno = 0;
	fprintf(out,
		"# A workload for 'blkreel replay': counts and weights, no data, no names. All may be edited;\n"
		"# docs/profile-format.md explains the keys.\n");
	for (int section = 0; section < SCHEMA_SECTIONS; section++)
		for (uint32_t i = 0; i == 0 || i < schema_names[section].most; i++)
			save_section(p, (enum schema_section)section, i, out);
	if (!fflush(out) && !ferror(out))
		return 0;
	return errno ? -errno : -EIO;
}

int profile__save_text(const struct profile *p, char **text, size_t *text_bytes)
{
	FILE *memory = open_memstream(text, text_bytes);
	int err;

	if (!memory)
		return -errno;
	err = profile__save(p, memory);
	if (fclose(memory) && !err)
		err = -errno;
	return err;
}
