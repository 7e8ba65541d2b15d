// SPDX-License-Identifier: MIT
#include "profile/text/parse_streams.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "profile/text/parse_files.h"
#include "profile/text/parse_table.h"

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

static int sizes_key(struct parser *r, struct profile_stream *s, const char *name,
		     const char *value)
{
	return parse_once(r, name, s->size_count) ?: parse_each_token(r, name, value, fill_size, s);
}

/* "0.9": at most three digits behind the point. */
static int zipf_exponent(const char *text, uint32_t *permille)
{
	double exponent;

	if (units_parse_real(text, 0.001, PROFILE_ZIPF_PERMILLE_MAX / 1000.0, &exponent))
		return -EINVAL;
	*permille = (uint32_t)(exponent * 1000 + 0.5);
	return fabs(*permille - exponent * 1000) < 1e-6 ? 0 : -EINVAL;
}

/* "uniform", "sequential", "zipf 0.9" or "hot 90% of 10%": 90 % of the IOs go to the first 10 % of the range. */
static int place_key(struct parser *r, struct profile_stream *s, const char *value)
{
	char rest;

	if (parse_once(r, "place", s->place))
		return -EINVAL;
	if (!strcmp(value, "uniform"))
		s->place = PLACE_UNIFORM;
	else if (!strcmp(value, "sequential"))
		s->place = PLACE_SEQUENTIAL;
	else if (sscanf(value, "hot %3u%% of %3u%%%c", &s->hot_pct, &s->hot_range_pct, &rest) ==
			 2 &&
		 s->hot_pct <= 100 && s->hot_range_pct <= 100)
		s->place = PLACE_HOT;
	else if (!strncmp(value, "zipf ", 5) && !zipf_exponent(value + 5, &s->zipf_permille))
		s->place = PLACE_ZIPF;
	else
		return parse_fail(r,
				  "'place': '%.32s' is none of uniform, zipf 0.9, sequential, "
				  "hot 90%% of 10%%",
				  value);
	s->sequential = s->place == PLACE_SEQUENTIAL;
	return 0;
}

/* One size for all IOs. */
static int size_key(struct parser *r, struct profile_stream *s, const char *value)
{
	if (parse_once(r, "size", s->size_count))
		return -EINVAL;
	if (parse_bytes(value, 0, PROFILE_BYTES_MAX, &s->sizes[0].bytes))
		return parse_fail(
			r, "'size': '%.32s' is not a number of bytes, of KiB (4K) or of MiB (2M)",
			value);
	s->sizes[0].ios = 1;
	s->size_count = 1;
	return 0;
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

int parse_stream_key(struct parser *r, const char *section, const char *name, const char *value)
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
	if (!strcmp(name, "place"))
		return place_key(r, &r->p->streams[stream], value);
	if (!strcmp(name, "size"))
		return size_key(r, &r->p->streams[stream], value);
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
	return parse_table(r, SCHEMA_STREAM, stream, section, name, value);
}
