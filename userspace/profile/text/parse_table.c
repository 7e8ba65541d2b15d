// SPDX-License-Identifier: MIT
#include "profile/text/parse_table.h"

#include <string.h>

#include "base/units.h"

uint32_t *parse_filled(struct parser *r, enum schema_section section, const char *key,
		       uint32_t instance, int label)
{
	size_t count;
	const struct schema_row *row = schema_row(section, key, label >= 0);
	uint32_t slots = row->row_count ? row->row_count : 1;

	return &r->filled[row - schema_rows(&count)][instance]
			 [label < 0 ? 0 : (uint32_t)label * slots];
}

static int check_times(struct parser *r, struct closed_values *v, const char *name, uint32_t count)
{
	v->count = count;
	for (uint32_t i = 1; i < v->count; i++)
		if (v->at[i] < v->at[i - 1])
			return parse_fail(r, "'%s': %llu comes after %llu, but values must rise",
					  name, (unsigned long long)v->at[i],
					  (unsigned long long)v->at[i - 1]);
	return 0;
}

/* One table; `sub` is the row that the key names, or -1. */
static int take_table(struct parser *r, const struct schema_row *row, void *table, uint32_t *filled,
		      int sub, const char *name, const char *value)
{
	struct target target = {table,
				row->wide,
				row->shape == SCHEMA_PAIRS,
				row->first_index,
				row->count,
				row->min,
				row->max,
				filled};
	int err;

	if (row->shape == SCHEMA_ROWS && sub < 0)
		return parse_fill_rows(r,
				       (struct row_target){table, row->count, row->row_names,
							   row->row_count, filled},
				       name, value);
	if (sub >= 0) {
		target.numbers = (uint32_t *)table + (size_t)sub * row->count;
		target.filled = &filled[sub];
	} else if (row->shape == SCHEMA_TIMES) {
		target.numbers = ((struct closed_values *)table)->at;
	}
	err = parse_fill(r, target, name, value);
	return err || row->shape != SCHEMA_TIMES ? err : check_times(r, table, name, *filled);
}

/* Whether the name behind the key says a label, and a row where there are rows. */
static bool is_label(const struct schema_row *row, const char *text, int *label, int *sub)
{
	const char *dot = strchr(text, '.');
	size_t length = dot ? (size_t)(dot - text) : strlen(text);
	char part[12];
	uint64_t number;

	if (!length || length >= sizeof(part) || (dot && !row->row_count))
		return false;
	memcpy(part, text, length);
	part[length] = 0;
	*label = parse_row_index(part, row->labels.names, row->labels.count);
	if (row->labels.first &&
	    !units_parse_count(part, row->labels.first, row->labels.count, &number))
		*label = (int)(number - row->labels.first);
	else if (row->labels.first)
		*label = -1;
	*sub = dot ? parse_row_index(dot + 1, row->row_names, row->row_count) : -1;
	return *label >= 0 && (!dot || *sub >= 0);
}

int parse_table(struct parser *r, enum schema_section section, uint32_t instance,
		const char *section_name, const char *name, const char *value)
{
	size_t count;
	const struct schema_row *rows = schema_rows(&count);

	for (const struct schema_row *row = rows; row < rows + count; row++) {
		size_t length = strlen(row->key);
		int label = -1, sub = -1;

		if (row->section != section || strncmp(name, row->key, length))
			continue;
		if (row->labels.count
			    ? name[length] != '.' || !is_label(row, name + length + 1, &label, &sub)
			    : name[length])
			continue;
		return take_table(
			r, row, schema_table(row, r->p, instance, label < 0 ? 0 : (uint32_t)label),
			parse_filled(r, section, row->key, instance, label), sub, name, value);
	}
	return parse_unknown_key(r, section_name, name);
}
