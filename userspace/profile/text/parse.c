// SPDX-License-Identifier: MIT
#include <errno.h>
#include <ini.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "profile/text/keys.h"
#include "profile/text/parse_arrival.h"
#include "profile/text/parse_closed.h"
#include "profile/text/parse_files.h"
#include "profile/text/parse_finish.h"
#include "profile/text/parse_streams.h"
#include "profile/text/parse_table.h"

static int arrival_word(struct parser *r, const char *value)
{
	r->p->arrival.even = !strcmp(value, "even");
	if (!r->p->arrival.even && strcmp(value, "random"))
		return parse_fail(r, "'arrival': '%.32s' is neither even nor random", value);
	return parse_once(r, "arrival", r->arrival_filled++);
}

/* "20s" is duration_ns = 20000000000. */
static int duration_key(struct parser *r, const char *value, uint32_t *filled)
{
	if (parse_once(r, "duration", (*filled)++))
		return -EINVAL;
	if (units_parse_time(value, &r->p->duration_ns) || r->p->duration_ns > PROFILE_DURATION_MAX)
		return parse_fail(r, "'duration': '%.32s' is not a time like 20s or 500ms", value);
	return 0;
}

/* "end = 1GiB" is end_sector = 2097152. */
static int sector_key(struct parser *r, const char *name, const char *value, uint64_t *sector,
		      uint32_t *filled)
{
	uint64_t bytes;

	if (parse_once(r, name, (*filled)++))
		return -EINVAL;
	if (units_parse_bytes(value, &bytes) || bytes > PROFILE_BYTES_MAX || bytes % SECTOR_BYTES)
		return parse_fail(
			r, "'%s': '%.32s' is not a number of sectors of 512 bytes, as 1GiB is",
			name, value);
	*sector = bytes / SECTOR_BYTES;
	return 0;
}

static int head_key(struct parser *r, const char *section, const char *name, const char *value)
{
	struct profile *p = r->p;
	const struct {
		const char *name;
		void *number;
		bool wide;
		uint64_t min, max;
	} keys[] = {
		{"version", &r->version, true, 1, UINT32_MAX},
		{"ios", &p->ios, true, 0, PROFILE_IOS_MAX},
		{"duration_ns", &p->duration_ns, true, 0, PROFILE_DURATION_MAX},
		{"device_bytes", &p->device_bytes, true, 0, PROFILE_BYTES_MAX},
		{"first_sector", &p->first_sector, true, 0, PROFILE_BYTES_MAX / SECTOR_BYTES},
		{"end_sector", &p->end_sector, true, 0, PROFILE_BYTES_MAX / SECTOR_BYTES},
		{"block_offset_sectors", &p->block_offset_sectors, false, 0, 7},
		{"phases", &p->phase_count, false, 0, PROFILE_PHASES_MAX},
		{"seed", &p->seed, true, 0, UINT64_MAX},
		{"lost_ppm", &p->lost_ppm, true, 0, 1000000},
		{"start_wall_ns", &p->start_wall_ns, true, 0, UINT64_MAX},
	};

	if (!strcmp(name, "level"))
		return parse_level_key(r, value);
	if (!strcmp(name, "arrival"))
		return arrival_word(r, value);
	if (!strcmp(name, "duration"))
		return duration_key(r, value, &r->head_filled[2]);
	if (!strcmp(name, "begin"))
		return sector_key(r, name, value, &p->first_sector, &r->head_filled[4]);
	if (!strcmp(name, "end"))
		return sector_key(r, name, value, &p->end_sector, &r->head_filled[5]);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(name, keys[i].name))
			return parse_fill(r,
					  (struct target){keys[i].number, keys[i].wide, false, 0, 1,
							  keys[i].min, keys[i].max,
							  &r->head_filled[i]},
					  name, value);
	return parse_unknown_key(r, section, name);
}

/* "median worst", two numbers that may have a sign and decimals. */
static int error_pair(struct parser *r, const char *name, const char *value, double *median,
		      double *worst)
{
	char *end = NULL;

	if (!isnan(*median))
		return parse_fail(r, "'%s' is given twice", name);
	*median = strtod(value, &end);
	*worst = strtod(end, &end);
	if (end == value || *end || !isfinite(*median) || !isfinite(*worst))
		return parse_fail(r, "'%s': '%.40s' is not two numbers", name, value);
	return 0;
}

static int error_key(struct parser *r, const char *section, const char *name, const char *value)
{
	struct profile_error *e = &r->p->error;

	if (!strcmp(name, "seeds"))
		return parse_fill(r,
				  (struct target){&e->seeds, false, false, 0, 1, 1, UINT32_MAX,
						  &r->seeds_filled},
				  name, value);
	for (unsigned int i = 0; i < PROFILE_FIGURES; i++)
		if (!strcmp(name, error_names[i]))
			return error_pair(r, name, value, &e->median[i], &e->worst[i]);
	for (unsigned int i = 0; i < PROFILE_LOCAL_FIGURES; i++)
		if (!strcmp(name, local_error_names[i]))
			return error_pair(r, name, value, &e->local_median[i], &e->local_worst[i]);
	for (unsigned int i = 0; i < PROFILE_CLOSED_FIGURES; i++)
		if (!strcmp(name, closed_error_names[i]))
			return error_pair(r, name, value, &e->closed_median[i],
					  &e->closed_worst[i]);
	return parse_unknown_key(r, section, name);
}

/* "addresses" is space 1, "addresses N" space N. -1: neither. */
static int space_of(const char *section)
{
	uint64_t number;

	if (strncmp(section, "addresses", 9))
		return -1;
	if (!section[9])
		return 0;
	if (section[9] != ' ' || units_parse_count(section + 10, 2, PROFILE_SPACES_MAX, &number))
		return -1;
	return (int)number - 1;
}

static int address_key(struct parser *r, int index, const char *section, const char *name,
		       const char *value)
{
	struct profile_space *space = &r->p->spaces[index];
	uint32_t i = (uint32_t)index;

	if (!strcmp(name, "begin"))
		return sector_key(r, name, value, &space->first_sector,
				  parse_filled(r, SCHEMA_ADDRESSES, "first_sector", i, -1));
	if (!strcmp(name, "end"))
		return sector_key(r, name, value, &space->end_sector,
				  parse_filled(r, SCHEMA_ADDRESSES, "end_sector", i, -1));
	if (!strcmp(name, "reuse_check"))
		return parse_fill(r,
				  (struct target){&r->checks.reuse[index], false, false, 0, 1, 0,
						  UINT32_MAX, &r->reuse_check_filled[index]},
				  name, value);
	return parse_table(r, SCHEMA_ADDRESSES, i, section, name, value);
}

static int no_section(struct parser *r, const char *section)
{
	return parse_fail(
		r, *section ? "there is no section [%.40s]" : "a key before the first [section]",
		section);
}

static int addresses_key(struct parser *r, const char *section, const char *name, const char *value)
{
	int space = space_of(section);

	return space < 0 ? no_section(r, section) : address_key(r, space, section, name, value);
}

static const struct section {
	const char *name;
	bool alone, numbered; /* whether it comes as [name], and as [name N] */
	int (*key)(struct parser *r, const char *section, const char *name, const char *value);
} sections[] = {
	{"profile", true, false, head_key},	   {"error", true, false, error_key},
	{"files", true, false, parse_files_key},   {"arrival", true, false, parse_arrival_key},
	{"addresses", true, true, addresses_key},  {"stream", false, true, parse_stream_key},
	{"closed", true, false, parse_closed_key}, {"tasks", false, true, parse_tasks_key},
};

static bool is_section(const struct section *s, const char *section)
{
	size_t length = strlen(s->name);

	if (strncmp(section, s->name, length))
		return false;
	return section[length] ? s->numbered && section[length] == ' ' : s->alone;
}

static int on_key(void *context, const char *section, const char *name, const char *value)
{
	struct parser *r = context;

	parse_follow(&r->lines);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		if (is_section(&sections[i], section))
			return !sections[i].key(r, section, name, value);
	no_section(r, section);
	return 0;
}

/* Where an error is said of a file whose end is missing: every line that is saved has one. */
static void ask_if_cut(struct parser *r, const char *text, size_t text_bytes)
{
	size_t used = strlen(r->message);

	if (text[text_bytes - 1] != '\n')
		snprintf(r->message + used, PROFILE_MESSAGE_MAX - used,
			 "; the last line has no end: was the file cut?");
}

static void say_line(struct parser *r, const char *text, int line)
{
	bool is_profile = strstr(text, "[profile]");
	char reason[PROFILE_MESSAGE_MAX];

	memcpy(reason, r->message, sizeof(reason));
	snprintf(r->message, PROFILE_MESSAGE_MAX, "%sline %d: %.400s%s",
		 is_profile ? "" : PROFILE_NO_PROFILE, line, reason,
		 is_profile ? "" : PROFILE_HOW_MADE);
}

static int parse_text(struct parser *r, char *text, size_t text_bytes)
{
	int line = parse_check_lines(text, text_bytes, r->message), err;

	if (line) {
		say_line(r, text, line);
		return -EINVAL;
	}
	r->lines.next = text;
	line = ini_parse_string(text, on_key, r);
	if (line < 0)
		return -ENOMEM;
	err = line ? -EINVAL : parse_finish(r, text);
	if (err != -EINVAL)
		return err;
	if (line && r->message_line != line)
		snprintf(r->message, PROFILE_MESSAGE_MAX,
			 "neither 'key = value' nor [section] nor # comment");
	if (line)
		say_line(r, text, line);
	if (text_bytes && strstr(text, "[profile]"))
		ask_if_cut(r, text, text_bytes);
	return err;
}

static void let_edits_win(struct parser *r)
{
	for (uint32_t i = 0; i < PROFILE_SPACES_MAX; i++)
		r->checks.has_reuse[i] = r->reuse_check_filled[i];
	r->checks.has_sizes = r->sizes_check_filled;
	edits_win(r->p, &r->checks);
}

int profile__parse(const char *text, size_t text_bytes, struct profile **profile,
		   char message[PROFILE_MESSAGE_MAX])
{
	struct parser *r = calloc(1, sizeof(*r));
	size_t mark = text_bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0; /* of UTF-8 */
	char *copy = malloc(text_bytes - mark + 1);
	int err = -ENOMEM;

	message[0] = 0;
	if (!r || !copy)
		goto out;
	r->p = calloc(1, sizeof(*r->p));
	if (!r->p)
		goto out;
	r->message = message;
	r->p->seed = 1;
	for (unsigned int i = 0; i < PROFILE_FIGURES; i++)
		r->p->error.median[i] = r->p->error.worst[i] = NAN;
	for (unsigned int i = 0; i < PROFILE_CLOSED_FIGURES; i++)
		r->p->error.closed_median[i] = r->p->error.closed_worst[i] = NAN;
	for (unsigned int i = 0; i < PROFILE_LOCAL_FIGURES; i++)
		r->p->error.local_median[i] = r->p->error.local_worst[i] = NAN;
	memcpy(copy, text + mark, text_bytes - mark);
	copy[text_bytes - mark] = 0;
	err = parse_text(r, copy, text_bytes - mark);
	if (err)
		goto out;
	let_edits_win(r);
	*profile = r->p;
	r->p = NULL;
out:
	if (r)
		profile__free(r->p);
	free(r);
	free(copy);
	return err;
}
