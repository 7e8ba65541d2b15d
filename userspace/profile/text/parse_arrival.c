// SPDX-License-Identifier: MIT
#include "profile/text/parse_arrival.h"

#include <errno.h>
#include <string.h>

#include "base/units.h"
#include "profile/text/keys.h"
#include "profile/text/parse_bursts.h"
#include "profile/text/parse_classes.h"

/* The tables of gaps. */
static int gap_key(struct parser *r, const char *section, const char *name, const char *value)
{
	struct profile_arrival *a = &r->p->arrival;
	const struct {
		const char *prefix;
		const unsigned int *rows;
		unsigned int row_count;
		uint32_t *numbers;
		bool sparse;
		unsigned int count;
		uint32_t *filled;
	} tables[] = {
		{"gap.", gap_row_names, PROFILE_GAP_CLASSES, a->gaps[0], true, PROFILE_GAP_OCTAVES,
		 r->gap_filled},
		{"entry_gap.", entry_gap_row_names, PROFILE_GAP_CLASSES, a->entry_gaps[0], true,
		 PROFILE_GAP_OCTAVES, r->entry_gap_filled},
		{"gap_after.", NULL, PROFILE_GAP_OCTAVES, a->gap_after[0], true,
		 PROFILE_GAP_OCTAVES, r->gap_after_filled},
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		size_t length = strlen(tables[i].prefix);
		int row;

		if (strncmp(name, tables[i].prefix, length))
			continue;
		row = parse_row_index(name + length, tables[i].rows, tables[i].row_count);
		if (row < 0)
			break;
		return parse_fill(r,
				  (struct target){tables[i].numbers + (size_t)row * tables[i].count,
						  false, tables[i].sparse, 0, tables[i].count,
						  tables[i].sparse ? 1 : 0, PROFILE_WEIGHT_MAX,
						  &tables[i].filled[row]},
				  name, value);
	}
	return parse_unknown_key(r, section, name);
}

static int within_key(struct parser *r, const char *section, const char *name, const char *value)
{
	int row = parse_row_index(name + 11, NULL, PROFILE_GAP_OCTAVES);

	if (row < 0)
		return parse_unknown_key(r, section, name);
	return parse_fill(r,
			  (struct target){r->p->arrival.gap_within[row], false, false, 0,
					  PROFILE_GAP_WITHIN_MAX, 0, PROFILE_GAP_WITHIN_PARTS - 1,
					  &r->gap_within_filled[row]},
			  name, value);
}

int parse_arrival_key(struct parser *r, const char *section, const char *name, const char *value)
{
	struct profile_arrival *a = &r->p->arrival;

	if (!strcmp(name, "windows"))
		return parse_fill(r,
				  (struct target){a->windows, true, false, 0, PROFILE_WINDOWS_MAX,
						  0, PROFILE_IOS_MAX, &r->windows_filled},
				  name, value);
	if (!strcmp(name, "reads") || !strncmp(name, "reads.", 6))
		return parse_reads_key(r, section, name, value);
	if (!strncmp(name, "size_class.", 11))
		return parse_size_class_key(r, section, name, value);
	if (!strcmp(name, "sizes_check"))
		return parse_fill(r,
				  (struct target){&r->checks.sizes, false, false, 0, 1, 0,
						  UINT32_MAX, &r->sizes_check_filled},
				  name, value);
	if (!strncmp(name, "class_cap.", 10))
		return parse_class_cap_key(r, section, name, value);
	if (!strncmp(name, "class1_split.", 13) || !strncmp(name, "class2_split.", 13))
		return parse_class_split_key(r, section, name, value);
	if (!strcmp(name, "split_levels"))
		return parse_fill(r,
				  (struct target){&a->split_levels, false, false, 0, 1, 0,
						  PROFILE_SPLIT_LEVELS_MAX,
						  &r->split_levels_filled},
				  name, value);
	if (!strcmp(name, "peak_cap"))
		return parse_fill(r,
				  (struct target){a->peak_cap, true, false, 0,
						  PROFILE_SPLIT_LEVELS_MAX, 0, PROFILE_IOS_MAX,
						  &r->peak_cap_filled},
				  name, value);
	if (!strcmp(name, "bin_span_permille"))
		return parse_fill(r,
				  (struct target){a->bin_span_permille, false, false, 0,
						  PROFILE_GAP_CLASSES, 0, 1000,
						  &r->bin_span_filled},
				  name, value);
	if (!strcmp(name, "gap_histogram"))
		return parse_fill(r,
				  (struct target){a->gap_histogram, false, true, 0,
						  PROFILE_GAP_OCTAVES, 1, PROFILE_WEIGHT_MAX,
						  &r->gap_histogram_filled},
				  name, value);
	if (!strcmp(name, "pinned_bursts"))
		return parse_bursts_key(r, value);
	if (!strncmp(name, "split.", 6))
		return parse_split_key(r, section, name, value);
	if (!strncmp(name, "neighbour.", 10))
		return parse_neighbour_key(r, section, name, value);
	if (!strcmp(name, "read_write_correlation"))
		return parse_fill(r,
				  (struct target){a->correlation_permille, false, false, 0,
						  PROFILE_CORRELATIONS_MAX, 0, 1000,
						  &r->correlation_filled},
				  name, value);
	if (!strncmp(name, "gap_within.", 11))
		return within_key(r, section, name, value);
	return gap_key(r, section, name, value);
}

/* At least two values, none below the one before. */
static int finish_within(struct parser *r, char key[16], unsigned int octave)
{
	const uint32_t *values = r->p->arrival.gap_within[octave];
	uint32_t count = r->gap_within_filled[octave];

	snprintf(key, 16, "gap_within.%u", octave);
	r->p->arrival.gap_within_count[octave] = count;
	if (count == 1)
		return parse_fail(r, "'%s' has 1 value, but must have at least 2", key);
	for (uint32_t i = 1; i < count; i++)
		if (values[i] < values[i - 1])
			return parse_fail(r, "'%s': %u comes after %u, but the values must rise",
					  key, values[i], values[i - 1]);
	return 0;
}

int parse_arrival_finish(struct parser *r, const char **key)
{
	struct profile_arrival *a = &r->p->arrival;
	int err = 0;

	a->window_count = r->windows_filled;
	err = parse_classes_finish(r, key);
	if (err)
		return err;
	*key = "peak_cap";
	if (r->peak_cap_filled && r->peak_cap_filled != a->split_levels)
		return parse_fail(r, "'peak_cap' has %u values, but must have %u (split_levels)",
				  r->peak_cap_filled, a->split_levels);
	err = parse_bursts_finish(r, key);
	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES && !err; o++) {
		err = finish_within(r, r->within_key, o);
		*key = r->within_key;
	}
	return err;
}
