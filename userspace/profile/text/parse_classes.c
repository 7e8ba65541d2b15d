// SPDX-License-Identifier: MIT
#include "profile/text/parse_classes.h"

#include <string.h>

#include "profile/classes.h"
#include "profile/arrival/split_rows.h"
#include "profile/text/keys.h"

/* "17" of "17.3.x": true and *rest behind the dot, or NULL where there is none. */
static bool first_part(const char *text, char part[8], const char **rest)
{
	const char *dot = strchr(text, '.');
	size_t length = dot ? (size_t)(dot - text) : strlen(text);

	if (!length || length >= 8)
		return false;
	memcpy(part, text, length);
	part[length] = 0;
	*rest = dot ? dot + 1 : NULL;
	return true;
}

/* Row of a table that is named by IOs and by share, "16.2"; -1: there is no such row. */
static int share_row(const char *text)
{
	const char *rest;
	char part[8];
	int ios, share;

	if (!text || !first_part(text, part, &rest) || !rest)
		return -1;
	ios = parse_row_index(part, share_row_names, PROFILE_SHARE_IOS);
	share = parse_row_index(rest, NULL, PROFILE_SHARE_SHARES);
	return ios < 0 || share < 0 ? -1 : ios * PROFILE_SHARE_SHARES + share;
}

/* "reads.16" or "class2_split.16": all its rows. */
static int share_rows(struct parser *r, const char *section, const char *name, const char *value,
		      uint32_t rows[][PROFILE_SHARE_COLUMNS], uint32_t *filled)
{
	int ios = parse_row_index(strchr(name, '.') + 1, share_row_names, PROFILE_SHARE_IOS);

	if (ios < 0)
		return parse_unknown_key(r, section, name);
	ios *= PROFILE_SHARE_SHARES;
	return parse_fill_rows(r,
			       (struct row_target){rows[ios], PROFILE_SHARE_COLUMNS, NULL,
						   PROFILE_SHARE_SHARES, &filled[ios]},
			       name, value);
}

/* Whether the name goes on behind its first part: "class2_split.16.2". */
static bool is_one_row(const char *name)
{
	return strchr(strchr(name, '.') + 1, '.');
}

/* Behind "split." or "neighbour.": of which IOs; *rest is what follows. */
static unsigned int kind_of(const char *text, const char **rest)
{
	unsigned int kind = 0;

	while (strncmp(text, kind_names[kind], strlen(kind_names[kind])))
		kind++;
	*rest = text + strlen(kind_names[kind]);
	return kind;
}

int parse_split_key(struct parser *r, const char *section, const char *name, const char *value)
{
	const char *rest = NULL;
	unsigned int kind = kind_of(name + 6, &rest);
	char part[8];
	int group = -1, row = -1;

	if (first_part(rest, part, &rest))
		group = parse_row_index(part, NULL,
					kind == KIND_ALL ? PROFILE_SPLIT_LEVELS_MAX / 2
							 : PROFILE_SPLIT_LEVELS_MAX);
	if (rest)
		row = parse_row_index(rest, split_row_names, PROFILE_SPLIT_ROWS);
	if (group < 0 || (rest && row < 0))
		return parse_unknown_key(r, section, name);
	r->kind_filled |= kind != KIND_ALL;
	if (!rest)
		return parse_fill_rows(
			r,
			(struct row_target){r->p->arrival.splits[kind].distributions[group][0],
					    PROFILE_SPLIT_COLUMNS, split_row_names,
					    PROFILE_SPLIT_ROWS, r->split_filled[kind][group]},
			name, value);
	return parse_fill(r,
			  (struct target){r->p->arrival.splits[kind].distributions[group][row],
					  false, false, 0, PROFILE_SPLIT_COLUMNS, 0,
					  PROFILE_WEIGHT_MAX, &r->split_filled[kind][group][row]},
			  name, value);
}

int parse_neighbour_key(struct parser *r, const char *section, const char *name, const char *value)
{
	const char *rest;
	unsigned int kind = kind_of(name + 10, &rest);
	int group = parse_row_index(rest, NULL,
				    kind == KIND_ALL ? PROFILE_SPLIT_LEVELS_MAX / 2
						     : PROFILE_CORRELATIONS_MAX);

	if (group < 0)
		return parse_unknown_key(r, section, name);
	return parse_fill(
		r,
		(struct target){r->p->arrival.splits[kind].neighbour_permille[group], false, false,
				0, kind == KIND_ALL ? NEIGHBOUR_COLUMNS : PROFILE_NEIGHBOUR_COLUMNS,
				0, 1000, &r->neighbour_filled[kind][group]},
		name, value);
}

/* "reads", "reads.IOS" or "reads.IOS.SHARE" */
int parse_reads_key(struct parser *r, const char *section, const char *name, const char *value)
{
	int row;

	if (!name[5])
		return parse_fill(r,
				  (struct target){r->p->arrival.reads, true, false, 0,
						  PROFILE_WINDOWS_MAX, 0, PROFILE_IOS_MAX,
						  &r->reads_filled},
				  name, value);
	if (!is_one_row(name))
		return share_rows(r, section, name, value, r->p->arrival.read_shares,
				  r->share_filled);
	row = share_row(name + 6);
	if (row < 0)
		return parse_unknown_key(r, section, name);
	return parse_fill(r,
			  (struct target){r->p->arrival.read_shares[row], false, false, 0,
					  PROFILE_SHARE_COLUMNS, 0, PROFILE_WEIGHT_MAX,
					  &r->share_filled[row]},
			  name, value);
}

/* "size_class.M" */
int parse_size_class_key(struct parser *r, const char *section, const char *name, const char *value)
{
	int row = parse_row_index(name + 11, class_row_names, PROFILE_SIZE_CLASSES);

	if (row < 0)
		return parse_unknown_key(r, section, name);
	return parse_fill(r,
			  (struct target){r->size_classes[row], true, false, 0,
					  PROFILE_PHASES_MAX + 1, 0, PROFILE_BYTES_MAX,
					  &r->class_filled[row]},
			  name, value);
}

/* "class_cap.M" */
int parse_class_cap_key(struct parser *r, const char *section, const char *name, const char *value)
{
	int row = parse_row_index(name + 10, class_row_names, PROFILE_SIZE_CLASSES);

	if (row < 0)
		return parse_unknown_key(r, section, name);
	return parse_fill(r,
			  (struct target){r->p->arrival.size_classes[row].cap_permille, false,
					  false, 0, PROFILE_CAP_ROWS, 0, 1000,
					  &r->class_cap_filled[row]},
			  name, value);
}

/* "class1_split.IOS" or "class2_split.IOS", or with ".SHARE" */
int parse_class_split_key(struct parser *r, const char *section, const char *name,
			  const char *value)
{
	unsigned int table = name[5] == '2';
	int row;

	if (!is_one_row(name))
		return share_rows(r, section, name, value, r->p->arrival.class_shares[table],
				  r->class_share_filled[table]);
	row = share_row(strchr(name, '.') + 1);
	if (row < 0)
		return parse_unknown_key(r, section, name);
	return parse_fill(r,
			  (struct target){r->p->arrival.class_shares[table][row], false, false, 0,
					  PROFILE_SHARE_COLUMNS, 0, PROFILE_WEIGHT_MAX,
					  &r->class_share_filled[table][row]},
			  name, value);
}

/* As many values as windows, none above what the window holds. */
static int finish_reads(struct parser *r)
{
	struct profile_arrival *a = &r->p->arrival;

	a->reads_known = r->reads_filled;
	if (r->reads_filled && r->reads_filled != a->window_count)
		return parse_fail(r, "'reads' has %u values, but must have %u (as 'windows')",
				  r->reads_filled, a->window_count);
	for (uint32_t i = 0; i < r->reads_filled; i++)
		if (a->reads[i] > a->windows[i])
			return parse_fail(r, "'reads': window %u has %llu, but only %llu IOs", i,
					  (unsigned long long)a->reads[i],
					  (unsigned long long)a->windows[i]);
	return 0;
}

/* A size and the IOs of each phase; the second of two is a larger size. */
static int finish_size_class(struct parser *r, unsigned int index)
{
	struct profile_size_class *model = &r->p->arrival.size_classes[index];
	uint32_t count = r->class_filled[index];
	bool second = index % (PROFILE_SIZE_CLASSES / 2);

	if (!count)
		return 0;
	if (count != r->p->phase_count + 1)
		return parse_fail(
			r,
			"'size_class.%u' has %u values, but must have %u (a size, and the "
			"IOs of each phase)",
			index + 1, count, r->p->phase_count + 1);
	if (!r->size_classes[index][0])
		return parse_fail(r, "'size_class.%u' begins with 0, but must begin with a size",
				  index + 1);
	if (second && !model[-1].above_bytes)
		return parse_fail(r, "'size_class.%u' comes without 'size_class.%u'", index + 1,
				  index);
	if (second && model[-1].above_bytes >= r->size_classes[index][0])
		return parse_fail(r, "'size_class.%u' is of %llu bytes, but must be above %llu",
				  index + 1, (unsigned long long)r->size_classes[index][0],
				  (unsigned long long)model[-1].above_bytes);
	model->above_bytes = r->size_classes[index][0];
	for (uint32_t i = 0; i + 1 < count; i++) {
		if (r->size_classes[index][i + 1] > PROFILE_IOS_MAX)
			return parse_fail(r, "'size_class.%u': %llu is above %llu", index + 1,
					  (unsigned long long)r->size_classes[index][i + 1],
					  (unsigned long long)PROFILE_IOS_MAX);
		model->phases[i] = r->size_classes[index][i + 1];
	}
	return 0;
}

static int finish_class_cap(struct parser *r, unsigned int index)
{
	struct profile_size_class *model = &r->p->arrival.size_classes[index];

	model->cap_known = r->class_cap_filled[index];
	if (model->cap_known && !model->above_bytes)
		return parse_fail(r, "'class_cap.%u' comes without 'size_class.%u'", index + 1,
				  index + 1);
	return 0;
}

int parse_classes_finish(struct parser *r, const char **key)
{
	static const char *const keys[PROFILE_SIZE_CLASSES] = {"size_class.1", "size_class.2",
							       "size_class.3", "size_class.4"};
	static const char *const cap_keys[PROFILE_SIZE_CLASSES] = {"class_cap.1", "class_cap.2",
								   "class_cap.3", "class_cap.4"};
	int err;

	*key = "reads";
	err = finish_reads(r);
	r->p->arrival.kinds_known = r->correlation_filled;
	if (!err && r->correlation_filled && !r->reads_filled) {
		*key = "read_write_correlation";
		err = parse_fail(r, "'read_write_correlation' comes without 'reads'");
	}
	if (!err && !r->correlation_filled && r->kind_filled) {
		*key = "";
		err = parse_fail(
			r,
			"[arrival]: rows of reads and of others come without 'read_write_correlation'");
	}
	for (unsigned int m = 0; m < PROFILE_SIZE_CLASSES && !err; m++) {
		*key = keys[m];
		err = finish_size_class(r, m);
	}
	for (unsigned int m = 0; m < PROFILE_SIZE_CLASSES && !err; m++) {
		*key = cap_keys[m];
		err = finish_class_cap(r, m);
	}
	return err;
}
