#include "profile/save_list.h"

#include <inttypes.h>
#include <string.h>

#define COLUMNS_MAX 96

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

void save_sparse(FILE *out, const char *key, const uint32_t *weights, uint32_t count,
		 uint32_t first)
{
	struct save_list list;
	char text[32];

	if (!save_any(weights, count))
		return;
	list = save_list_begin(out, key);
	for (uint32_t i = 0; i < count; i++) {
		if (!weights[i])
			continue;
		snprintf(text, sizeof(text), "%" PRIu32 ":%" PRIu32, i + first, weights[i]);
		save_list_item(&list, text);
	}
	save_list_end(&list);
}
