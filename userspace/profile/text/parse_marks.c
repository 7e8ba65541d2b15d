// SPDX-License-Identifier: MIT
#include <string.h>

#include "profile/bins.h"
#include "profile/arrival/split.h"
#include "profile/text/keys.h"
#include "profile/text/parse.h"

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
		      uint32_t rows[][PROFILE_SHARE_BINS], uint32_t *filled)
{
	int ios = parse_row_index(strchr(name, '.') + 1, share_row_names, PROFILE_SHARE_IOS);

	if (ios < 0)
		return parse_unknown_key(r, section, name);
	ios *= PROFILE_SHARE_SHARES;
	return parse_fill_rows(r,
			       (struct row_target){rows[ios], PROFILE_SHARE_BINS, NULL,
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
					kind == KIND_ALL ? PROFILE_HALVINGS_MAX / 2
							 : PROFILE_HALVINGS_MAX);
	if (rest)
		row = parse_row_index(rest, split_row_names, PROFILE_SPLIT_CLASSES);
	if (group < 0 || (rest && row < 0))
		return parse_unknown_key(r, section, name);
	r->kind_filled |= kind != KIND_ALL;
	if (!rest)
		return parse_fill_rows(
			r,
			(struct row_target){r->p->arrival.halves[kind].splits[group][0],
					    PROFILE_SPLIT_BINS, split_row_names,
					    PROFILE_SPLIT_CLASSES, r->split_filled[kind][group]},
			name, value);
	return parse_fill(r,
			  (struct target){r->p->arrival.halves[kind].splits[group][row], false,
					  false, 0, PROFILE_SPLIT_BINS, 0, PROFILE_WEIGHT_MAX,
					  &r->split_filled[kind][group][row]},
			  name, value);
}

int parse_lean_key(struct parser *r, const char *section, const char *name, const char *value)
{
	const char *rest;
	unsigned int kind = kind_of(name + 10, &rest);
	int group = parse_row_index(
		rest, NULL, kind == KIND_ALL ? PROFILE_HALVINGS_MAX / 2 : PROFILE_TOGETHER_MAX);

	if (group < 0)
		return parse_unknown_key(r, section, name);
	return parse_fill(r,
			  (struct target){r->p->arrival.halves[kind].lean_permille[group], false,
					  false, 0,
					  kind == KIND_ALL ? LEAN_BINS : PROFILE_LEAN_BINS, 0, 1000,
					  &r->lean_filled[kind][group]},
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
					  PROFILE_SHARE_BINS, 0, PROFILE_WEIGHT_MAX,
					  &r->share_filled[row]},
			  name, value);
}

/* "size_class.M" */
int parse_above_key(struct parser *r, const char *section, const char *name, const char *value)
{
	int row = parse_row_index(name + 11, larger_row_names, PROFILE_LARGER);

	if (row < 0)
		return parse_unknown_key(r, section, name);
	return parse_fill(r,
			  (struct target){r->larger[row], true, false, 0, PROFILE_PHASES_MAX + 1, 0,
					  PROFILE_BYTES_MAX, &r->larger_filled[row]},
			  name, value);
}

/* "class_cap.M" */
int parse_most_above_key(struct parser *r, const char *section, const char *name, const char *value)
{
	int row = parse_row_index(name + 10, larger_row_names, PROFILE_LARGER);

	if (row < 0)
		return parse_unknown_key(r, section, name);
	return parse_fill(r,
			  (struct target){r->p->arrival.larger[row].most_permille, false, false, 0,
					  PROFILE_LEAF_ROWS, 0, 1000, &r->most_above_filled[row]},
			  name, value);
}

/* "class1_split.IOS" or "class2_split.IOS", or with ".SHARE" */
int parse_larger_key(struct parser *r, const char *section, const char *name, const char *value)
{
	unsigned int table = name[5] == '2';
	int row;

	if (!is_one_row(name))
		return share_rows(r, section, name, value, r->p->arrival.larger_shares[table],
				  r->larger_share_filled[table]);
	row = share_row(strchr(name, '.') + 1);
	if (row < 0)
		return parse_unknown_key(r, section, name);
	return parse_fill(r,
			  (struct target){r->p->arrival.larger_shares[table][row], false, false, 0,
					  PROFILE_SHARE_BINS, 0, PROFILE_WEIGHT_MAX,
					  &r->larger_share_filled[table][row]},
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
static int finish_larger(struct parser *r, unsigned int mark)
{
	struct profile_larger *larger = &r->p->arrival.larger[mark];
	uint32_t count = r->larger_filled[mark];
	bool second = mark % (PROFILE_LARGER / 2);

	if (!count)
		return 0;
	if (count != r->p->phase_count + 1)
		return parse_fail(
			r,
			"'size_class.%u' has %u values, but must have %u (a size, and the "
			"IOs of each phase)",
			mark + 1, count, r->p->phase_count + 1);
	if (!r->larger[mark][0])
		return parse_fail(r, "'size_class.%u' begins with 0, but must begin with a size",
				  mark + 1);
	if (second && !larger[-1].above_bytes)
		return parse_fail(r, "'size_class.%u' comes without 'size_class.%u'", mark + 1,
				  mark);
	if (second && larger[-1].above_bytes >= r->larger[mark][0])
		return parse_fail(r, "'size_class.%u' is of %llu bytes, but must be above %llu",
				  mark + 1, (unsigned long long)r->larger[mark][0],
				  (unsigned long long)larger[-1].above_bytes);
	larger->above_bytes = r->larger[mark][0];
	for (uint32_t i = 0; i + 1 < count; i++) {
		if (r->larger[mark][i + 1] > PROFILE_IOS_MAX)
			return parse_fail(r, "'size_class.%u': %llu is above %llu", mark + 1,
					  (unsigned long long)r->larger[mark][i + 1],
					  (unsigned long long)PROFILE_IOS_MAX);
		larger->phases[i] = r->larger[mark][i + 1];
	}
	return 0;
}

static int finish_most_above(struct parser *r, unsigned int mark)
{
	struct profile_larger *larger = &r->p->arrival.larger[mark];

	larger->most_known = r->most_above_filled[mark];
	if (larger->most_known && !larger->above_bytes)
		return parse_fail(r, "'class_cap.%u' comes without 'size_class.%u'", mark + 1,
				  mark + 1);
	return 0;
}

/* Older profiles have one table for all that are above a size. */
static void finish_larger_tables(struct parser *r)
{
	for (unsigned int i = 0; i < PROFILE_SHARE_ROWS; i++)
		if (r->larger_share_filled[0][i])
			return;
	memcpy(r->p->arrival.larger_shares[0], r->p->arrival.larger_shares[1],
	       sizeof(r->p->arrival.larger_shares[0]));
}

int parse_marks_finish(struct parser *r, const char **key)
{
	static const char *const keys[PROFILE_LARGER] = {"size_class.1", "size_class.2",
							 "size_class.3", "size_class.4"};
	static const char *const most_keys[PROFILE_LARGER] = {"class_cap.1", "class_cap.2",
							      "class_cap.3", "class_cap.4"};
	int err;

	finish_larger_tables(r);
	*key = "reads";
	err = finish_reads(r);
	r->p->arrival.halves_known = r->together_filled;
	if (!err && r->together_filled && !r->reads_filled) {
		*key = "read_write_correlation";
		err = parse_fail(r, "'read_write_correlation' comes without 'reads'");
	}
	if (!err && !r->together_filled && r->kind_filled) {
		*key = "";
		err = parse_fail(
			r,
			"[arrival]: rows of reads and of others come without 'read_write_correlation'");
	}
	for (unsigned int m = 0; m < PROFILE_LARGER && !err; m++) {
		*key = keys[m];
		err = finish_larger(r, m);
	}
	for (unsigned int m = 0; m < PROFILE_LARGER && !err; m++) {
		*key = most_keys[m];
		err = finish_most_above(r, m);
	}
	return err;
}
