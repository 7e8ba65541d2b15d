// SPDX-License-Identifier: MIT
#include <errno.h>
#include <ini.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "profile/text/keys.h"
#include "profile/text/parse.h"

/* Keeps the first message: the INI reader reports the line of the first error. */
int parse_fail(struct parser *r, const char *format, ...)
{
	va_list args;

	if (!r->message[0]) {
		va_start(args, format);
		vsnprintf(r->message, PROFILE_MESSAGE_MAX, format, args);
		va_end(args);
		r->message_line = r->lines.line;
	}
	return -EINVAL;
}

int parse_once(struct parser *r, const char *name, bool filled)
{
	if (filled && !r->lines.continues)
		return parse_fail(r, "'%s' is given twice", name);
	return 0;
}

int parse_unknown_key(struct parser *r, const char *section, const char *name)
{
	if (!strcmp(name, "include"))
		return parse_fail(r,
				  "a profile includes no other file; 'blkreel profile mix' joins "
				  "several");
	return parse_fail(r, "[%s] has no key '%s'", section, name);
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
	};

	if (!strcmp(name, "level"))
		return parse_level_key(r, value);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(name, keys[i].name))
			return parse_fill(r,
					  (struct target){keys[i].number, keys[i].wide, false, 0, 1,
							  keys[i].min, keys[i].max,
							  &r->head_filled[i]},
					  name, value);
	return parse_unknown_key(r, section, name);
}

/* Index of the row that a name like "gap.17" ends with; -1: there is no such row. */
int parse_row_index(const char *text, const unsigned int *names, unsigned int count)
{
	uint64_t number;

	if (units_parse_count(text, 0, UINT32_MAX, &number))
		return -1;
	for (unsigned int i = 0; i < count; i++)
		if (!names ? i == number : names[i] == number)
			return (int)i;
	return -1;
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
	uint32_t *filled = r->space_filled[index];
	const struct {
		const char *name;
		struct target target;
	} keys[] = {
		{"first_sector",
		 {&space->first_sector, true, false, 0, 1, 0, PROFILE_BYTES_MAX / SECTOR_BYTES,
		  &filled[0]}},
		{"end_sector",
		 {&space->end_sector, true, false, 0, 1, 1, PROFILE_BYTES_MAX / SECTOR_BYTES,
		  &filled[1]}},
		{"new_blocks",
		 {space->new_blocks, true, false, 0, PROFILE_PHASES_MAX, 0, PROFILE_IOS_MAX,
		  &filled[2]}},
		{"new_written_permille",
		 {space->written_permille, false, false, 0, PROFILE_PHASES_MAX, 0, 1000,
		  &filled[4]}},
		{"distances",
		 {space->distances, false, true, 0, PROFILE_DISTANCES, 1, PROFILE_WEIGHT_MAX,
		  &filled[3]}},
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(name, keys[i].name))
			return parse_fill(r, keys[i].target, name, value);
	return parse_unknown_key(r, section, name);
}

static int fill_size(struct parser *r, void *context, const char *name, char *token)
{
	struct profile_stream *s = context;
	struct profile_size *size = &s->sizes[s->size_count];
	char *colon = strchr(token, ':');

	if (s->size_count == PROFILE_SIZES_MAX)
		return parse_fail(r, "'%s' has more than %d sizes", name, PROFILE_SIZES_MAX);
	if (!colon)
		return parse_fail(r, "'%s': '%s' is not bytes:ios", name, token);
	*colon = 0;
	if (parse_bytes(token, 0, PROFILE_BYTES_MAX, &size->bytes))
		return parse_fail(r,
				  "'%s': '%s' is not a number of bytes, of KiB (4K) or of MiB (2M)",
				  name, token);
	if (units_parse_count(colon + 1, 0, PROFILE_IOS_MAX, &size->ios))
		return parse_fail(r, "'%s': '%s' is not a number of IOs from 0 to %llu", name,
				  colon + 1, PROFILE_IOS_MAX);
	if (s->size_count && size->bytes <= size[-1].bytes)
		return parse_fail(r, "'%s': %s is out of order or given twice", name, token);
	s->size_count++;
	return 0;
}

static int flag_bit(const char *name)
{
	char text[IO_FLAGS_TEXT_MAX];

	for (unsigned int bit = 0; bit < 32; bit++)
		if ((PROFILE_FLAGS & 1u << bit) && !strcmp(io_flags_text(1u << bit, text), name))
			return (int)bit;
	return -1;
}

static int parse_flags(struct parser *r, struct profile_stream *s, const char *value)
{
	char text[IO_FLAGS_TEXT_MAX], *word, *rest = NULL;

	if (strlen(value) >= sizeof(text))
		return parse_fail(r, "'flags' is too long");
	memcpy(text, value, strlen(value) + 1);
	for (word = strtok_r(text, "|", &rest); word; word = strtok_r(NULL, "|", &rest)) {
		int bit = flag_bit(word);

		if (bit < 0)
			return parse_fail(
				r, "'flags': '%.32s' is not a flag that a profile can have", word);
		s->flags |= 1u << bit;
	}
	return 0;
}

static int word_key(struct parser *r, struct profile_stream *s, enum stream_key key,
		    const char *value)
{
	int found = -EINVAL;

	switch (key) {
	case KEY_OP:
		found = io_op_from_name(value);
		if (found < 0)
			return parse_fail(r, "'op': '%.32s' is not an op", value);
		s->op = (enum io_op)found;
		return 0;
	case KEY_SUBMITTER:
		found = submitter_from_name(value);
		if (found < 0)
			return parse_fail(
				r,
				"'submitter': '%.32s' is none of direct, file, writeback, journal, metadata, other",
				value);
		s->submitter = (enum submitter)found;
		return 0;
	case KEY_PATTERN:
		s->sequential = !strcmp(value, "sequential");
		if (!s->sequential && strcmp(value, "random"))
			return parse_fail(r, "'pattern': '%.32s' is neither sequential nor random",
					  value);
		return 0;
	default:
		return parse_flags(r, s, value);
	}
}

/* Tables of which a stream has several. */
static int row_key(struct parser *r, uint32_t stream, const char *section, const char *name,
		   const char *value)
{
	struct profile_stream *s = &r->p->streams[stream];
	struct target target = {NULL, false, true, 0, 0, 1, PROFILE_WEIGHT_MAX, NULL};
	int row = -1;

	if (!strncmp(name, "reuse.", 6)) {
		row = parse_row_index(name + 6, reuse_row_names, PROFILE_REUSE_SIZES);
		target.numbers = row < 0 ? NULL : s->reuse[row];
		target.count = PROFILE_REUSE_OCTAVES;
		row += KEY_REUSE;
	} else if (!strncmp(name, "zones.", 6)) {
		row = parse_row_index(name + 6, NULL, PROFILE_PHASES_MAX);
		target.numbers = row < 0 ? NULL : s->zone_phases[row];
		target.count = PROFILE_ZONES;
		row += KEY_ZONE_PHASES;
	}
	if (!target.numbers)
		return parse_unknown_key(r, section, name);
	target.filled = &r->stream_filled[stream][row];
	return parse_fill(r, target, name, value);
}

static int table_key(struct parser *r, uint32_t stream, const char *section, const char *name,
		     const char *value)
{
	struct profile_stream *s = &r->p->streams[stream];
	uint32_t *filled = r->stream_filled[stream];
	const struct {
		const char *name;
		struct target target;
	} keys[] = {
		{"ios", {&s->ios, true, false, 0, 1, 0, PROFILE_IOS_MAX, &filled[KEY_IOS]}},
		{"phases",
		 {s->phases, true, false, 0, PROFILE_PHASES_MAX, 0, PROFILE_IOS_MAX,
		  &filled[KEY_PHASES]}},
		{"next",
		 {s->next, false, true, 1, PROFILE_STREAMS_MAX, 1, PROFILE_WEIGHT_MAX,
		  &filled[KEY_NEXT]}},
		{"repeat_permille",
		 {s->repeat_permille, false, false, 0, PROFILE_REUSE_SIZES, 0, 1000,
		  &filled[KEY_REPEAT]}},
		{"read_after_write_permille",
		 {s->read_after_write_permille, false, false, 0, PROFILE_REUSE_AGES, 0, 1000,
		  &filled[KEY_READ_AFTER_WRITE]}},
		{"straddle_permille",
		 {s->straddle_permille, false, false, 0, PROFILE_REUSE_SIZES, 0, 1000,
		  &filled[KEY_STRADDLE]}},
		{"block_end_permille",
		 {s->block_end_permille, false, false, 0, PROFILE_REUSE_SIZES, 0, 1000,
		  &filled[KEY_BLOCK_END]}},
		{"run_recency",
		 {s->run_recency, false, false, 0, PROFILE_RUN_RECENCY_COLUMNS, 0,
		  PROFILE_WEIGHT_MAX, &filled[KEY_RUN_RECENCY]}},
		{"align_sectors",
		 {&s->align_sectors, false, false, 0, 1, 1, PROFILE_ALIGN_MAX, &filled[KEY_ALIGN]}},
		{"begin_permille",
		 {&s->begin_permille, false, false, 0, 1, 0, 1000, &filled[KEY_BEGIN]}},
		{"aligned",
		 {s->aligned, false, false, 0, PROFILE_ALIGNMENTS, 0, PROFILE_WEIGHT_MAX,
		  &filled[KEY_ALIGNED]}},
		{"run_distance",
		 {s->run_distance, false, true, 0, PROFILE_RUN_DISTANCE_COLUMNS, 1,
		  PROFILE_WEIGHT_MAX, &filled[KEY_RUN_DISTANCE]}},
		{"zones",
		 {s->zones, false, true, 0, PROFILE_ZONES, 1, PROFILE_WEIGHT_MAX,
		  &filled[KEY_ZONES]}},
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(name, keys[i].name))
			return parse_fill(r, keys[i].target, name, value);
	return row_key(r, stream, section, name, value);
}

static int sizes_key(struct parser *r, struct profile_stream *s, const char *name,
		     const char *value)
{
	return parse_once(r, name, s->size_count) ?: parse_each_token(r, name, value, fill_size, s);
}

static int space_key(struct parser *r, struct profile_stream *s, const char *value)
{
	uint64_t number;

	if (units_parse_count(value, 1, PROFILE_SPACES_MAX, &number))
		return parse_fail(r, "'space': '%.32s' is not a number from 1 to %d", value,
				  PROFILE_SPACES_MAX);
	s->space = (uint32_t)number - 1;
	return 0;
}

static int stream_key(struct parser *r, const char *section, const char *name, const char *value)
{
	static const char *const words[] = {"op", "flags", "submitter", "pattern"};
	uint64_t number;
	uint32_t stream;

	if (units_parse_count(section + 7, 1, PROFILE_STREAMS_MAX, &number) ||
	    number > r->p->stream_count + 1ull)
		return parse_fail(r, "[%s]: streams are numbered from 1 without a hole, up to %d",
				  section, PROFILE_STREAMS_MAX);
	stream = (uint32_t)number - 1;
	if (number > r->p->stream_count)
		r->p->stream_count = (uint32_t)number;
	if (!strcmp(name, "space"))
		return parse_once(r, name, r->stream_filled[stream][KEY_SPACE]++)
			       ?: space_key(r, &r->p->streams[stream], value);
	if (!strcmp(name, "sizes"))
		return sizes_key(r, &r->p->streams[stream], name, value);
	for (unsigned int key = 0; key < sizeof(words) / sizeof(words[0]); key++) {
		if (strcmp(name, words[key]))
			continue;
		if (r->stream_filled[stream][key]++)
			return parse_fail(r, "'%s' is given twice in [%s]", name, section);
		if (r->p->level == PROFILE_OF_FILES && key == KEY_OP)
			return parse_file_op(r, &r->p->streams[stream], value);
		if (r->p->level == PROFILE_OF_FILES && key == KEY_FLAGS)
			return parse_file_flags(r, &r->p->streams[stream],
						r->stream_filled[stream][KEY_OP], value);
		return word_key(r, &r->p->streams[stream], (enum stream_key)key, value);
	}
	return table_key(r, stream, section, name, value);
}

static int on_key(void *context, const char *section, const char *name, const char *value)
{
	struct parser *r = context;
	int err;

	parse_follow(&r->lines);
	if (!strcmp(section, "profile"))
		err = head_key(r, section, name, value);
	else if (!strcmp(section, "arrival"))
		err = parse_arrival_key(r, section, name, value);
	else if (!strcmp(section, "files"))
		err = parse_files_key(r, section, name, value);
	else if (!strcmp(section, "error"))
		err = error_key(r, section, name, value);
	else if (space_of(section) >= 0)
		err = address_key(r, space_of(section), section, name, value);
	else if (parse_is_closed(section))
		err = parse_closed_key(r, section, name, value);
	else if (!strncmp(section, "stream ", 7))
		err = stream_key(r, section, name, value);
	else
		err = parse_fail(r,
				 *section ? "there is no section [%.40s]"
					  : "a key before the first [section]",
				 section);
	return err ? 0 : 1;
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
	memcpy(copy, text + mark, text_bytes - mark);
	copy[text_bytes - mark] = 0;
	err = parse_text(r, copy, text_bytes - mark);
	if (err)
		goto out;
	*profile = r->p;
	r->p = NULL;
out:
	if (r)
		profile__free(r->p);
	free(r);
	free(copy);
	return err;
}
