// SPDX-License-Identifier: MIT
#include "profile/text/save_list.h"

#include <inttypes.h>
#include <string.h>

#include "profile/digits.h"
#include "profile/profile.h"

#define COLUMNS_MAX 96
#define RUN_MAX	    64 /* digits in a word */

struct save_list save_list_begin(FILE *out, const char *key)
{
	return (struct save_list){.out = out, .column = fprintf(out, "%s =", key)};
}

void save_list_item(struct save_list *l, const char *text)
{
	if (l->column + 1 + (int)strlen(text) > COLUMNS_MAX)
		l->column = fprintf(l->out, "\n       ") - 1;
	l->column += fprintf(l->out, " %s", text);
}

void save_list_size(struct save_list *l, uint64_t bytes, uint64_t count)
{
	static const char *const units[] = {"", "K", "M"};
	unsigned int unit = 0;
	char text[64];

	while (unit < 2 && bytes && bytes % 1024 == 0) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, sizeof(text), "%" PRIu64 "%s:%" PRIu64, bytes, units[unit], count);
	save_list_item(l, text);
}

void save_list_end(struct save_list *l)
{
	fputc('\n', l->out);
}

void save_numbers(FILE *out, const char *key, const uint64_t *numbers, uint32_t count)
{
	struct save_list list = save_list_begin(out, key);
	char text[32];

	for (uint32_t i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "%" PRIu64, numbers[i]);
		save_list_item(&list, text);
	}
	save_list_end(&list);
}

bool save_any(const uint32_t *weights, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (weights[i])
			return true;
	return false;
}

void save_values(FILE *out, const char *key, const uint32_t *values, uint32_t count)
{
	struct save_list list;
	char text[32];

	if (!count)
		return;
	list = save_list_begin(out, key);
	for (uint32_t i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "%" PRIu32, values[i]);
		save_list_item(&list, text);
	}
	save_list_end(&list);
}

/* Zeros at the end are left out. */
void save_dense(FILE *out, const char *key, const uint32_t *weights, uint32_t count)
{
	while (count && !weights[count - 1])
		count--;
	save_values(out, key, weights, count);
}

static bool all_digits(const uint32_t *weights, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (weights[i] > DIGIT_MAX)
			return false;
	return true;
}

/* The words of a list of weights, each with a blank before it. */
struct words {
	char text[PROFILE_DISTANCES * 16];
	size_t used;
};

static void add_word(struct words *w, const char *format, uint32_t number)
{
	w->used += (size_t)snprintf(w->text + w->used, sizeof(w->text) - w->used, format, number);
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
	uint32_t next = 0; /* index of which a number alone would be */

	for (uint32_t i = skip_zeros(weights, count, 0); i < count;
	     i = skip_zeros(weights, count, i + 1)) {
		if (!next || 2 * (i - next) + 1 >= index_chars(i + first)) {
			add_word(w, " %" PRIu32 ":", i + first);
			add_word(w, "%" PRIu32, weights[i]);
		} else {
			for (; next < i; next++)
				add_word(w, " %" PRIu32, 0);
			add_word(w, " %" PRIu32, weights[i]);
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
			add_word(w, " %" PRIu32 ">", i + first);
			begin = next = i;
		}
		for (; next <= i; next++)
			add_word(w, "%c", (uint32_t)digit_of(weights[next]));
	}
}

void save_sparse(FILE *out, const char *key, const uint32_t *weights, uint32_t count,
		 uint32_t first)
{
	struct words pairs = {.used = 0}, runs = {.used = 0}, *shortest = &pairs;
	char *rest = NULL;
	struct save_list list;

	if (!save_any(weights, count))
		return;
	write_pairs(&pairs, weights, count, first);
	if (all_digits(weights, count)) {
		write_runs(&runs, weights, count, first);
		shortest = runs.used < pairs.used ? &runs : &pairs;
	}
	list = save_list_begin(out, key);
	for (char *word = strtok_r(shortest->text, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest))
		save_list_item(&list, word);
	save_list_end(&list);
}

/* "32:758ba5221001", without zeros at the end. */
static void row_text(char *text, size_t bytes, unsigned int name, const uint32_t *weights,
		     uint32_t count)
{
	size_t used = (size_t)snprintf(text, bytes, "%u:", name);

	while (count && !weights[count - 1])
		count--;
	for (uint32_t i = 0; i < count && used + 1 < bytes; i++)
		text[used++] = digit_of(weights[i]);
	text[used] = 0;
}

void save_rows(FILE *out, const char *key, const uint32_t *weights, uint32_t count,
	       const unsigned int *names, uint32_t rows)
{
	struct save_list list = {.out = NULL};
	char text[64];

	for (uint32_t i = 0; i < rows; i++) {
		if (!save_any(weights + (size_t)i * count, count) ||
		    !all_digits(weights + (size_t)i * count, count))
			continue;
		if (!list.out)
			list = save_list_begin(out, key);
		row_text(text, sizeof(text), names ? names[i] : i, weights + (size_t)i * count,
			 count);
		save_list_item(&list, text);
	}
	if (list.out)
		save_list_end(&list);
	for (uint32_t i = 0; i < rows; i++) {
		if (all_digits(weights + (size_t)i * count, count))
			continue;
		snprintf(text, sizeof(text), "%s.%u", key, names ? names[i] : i);
		save_dense(out, text, weights + (size_t)i * count, count);
	}
}
