// SPDX-License-Identifier: MIT
#include "profile/text/words.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "profile/file_ops.h"
#include "profile/text/comments.h"
#include "profile/text/edits.h"
#include "profile/text/parser.h"

WORD_WRITER(version)
{
	snprintf(text, SCHEMA_TEXT_MAX, "%d", PROFILE_VERSION);
}

WORD_READER(level)
{
	if (r->p->stream_count)
		return parse_fail(r, "'level' must stand before the first [stream]");
	if (!strcmp(value, "files"))
		r->p->level = PROFILE_OF_FILES;
	else if (strcmp(value, "device"))
		return parse_fail(r, "'level': '%.32s' is neither device nor files", value);
	return 0;
}

WORD_WRITER(level)
{
	snprintf(text, SCHEMA_TEXT_MAX, "%s", p->level == PROFILE_OF_FILES ? "files" : "");
}

WORD_READER(arrival)
{
	r->p->arrival.even = !strcmp(value, "even");
	if (!r->p->arrival.even && strcmp(value, "random"))
		return parse_fail(r, "'arrival': '%.32s' is neither even nor random", value);
	return 0;
}

WORD_WRITER(arrival)
{
	snprintf(text, SCHEMA_TEXT_MAX, "%s", p->arrival.even ? "even" : "");
}

/* "20s" is duration_ns = 20000000000. */
WORD_READER(duration)
{
	if (units_parse_time(value, &r->p->duration_ns) || r->p->duration_ns > PROFILE_DURATION_MAX)
		return parse_fail(r, "'duration': '%.32s' is not a time like 20s or 500ms", value);
	return 0;
}

/* "end = 1GiB" is end_sector = 2097152. */
static int read_sector(struct parser *r, const char *name, const char *value, uint64_t *sector)
{
	uint64_t bytes;

	if (units_parse_bytes(value, &bytes) || bytes > PROFILE_BYTES_MAX || bytes % SECTOR_BYTES)
		return parse_fail(
			r, "'%s': '%.32s' is not a number of sectors of 512 bytes, as 1GiB is",
			name, value);
	*sector = bytes / SECTOR_BYTES;
	return 0;
}

WORD_READER(begin)
{
	return read_sector(r, name, value, &r->p->first_sector);
}

WORD_READER(end)
{
	return read_sector(r, name, value, &r->p->end_sector);
}

WORD_READER(space_begin)
{
	return read_sector(r, name, value, &r->p->spaces[instance].first_sector);
}

WORD_READER(space_end)
{
	return read_sector(r, name, value, &r->p->spaces[instance].end_sector);
}

WORD_WRITER(sizes_check)
{
	if (has_class(p, 0, 0) || has_class(p, 0, PROFILE_SIZE_CLASSES / 2))
		snprintf(text, SCHEMA_TEXT_MAX, "%" PRIu32, edits_sizes_check(p));
}

WORD_WRITER(reuse_check)
{
	if (has_distances(p, instance, 0))
		snprintf(text, SCHEMA_TEXT_MAX, "%" PRIu32, edits_reuse_check(p, instance));
}

WORD_READER(op)
{
	bool of_files = r->p->level == PROFILE_OF_FILES;
	struct profile_stream *s = &r->p->streams[instance];
	int op = of_files ? file_op_from_name(value) : io_op_from_name(value);

	if (op < 0)
		return parse_fail(r, "'op': '%.32s' is not an op%s", value,
				  of_files ? "eration on files that a profile has" : "");
	s->op = of_files ? file_op_to_io((enum access_op)op, 0, &s->flags) : (enum io_op)op;
	return 0;
}

WORD_WRITER(op)
{
	snprintf(text, SCHEMA_TEXT_MAX, "%s", profile_stream_op(p, &p->streams[instance]));
}

static int read_file_flags(struct parser *r, uint32_t stream, const char *value)
{
	struct profile_stream *s = &r->p->streams[stream];
	enum access_op op = file_op_of_io(s->op, s->flags);
	int flags = file_op_flags_from_text(value);

	if (!*parse_filled(r, SCHEMA_STREAM, "op", stream, -1))
		return parse_fail(r, "'flags' must stand after 'op'");
	if (flags < 0)
		return parse_fail(r, "'flags': '%.32s' is not what an operation on files can have",
				  value);
	if (!file_op_has_flags(op, (uint32_t)flags))
		return parse_fail(r, "'flags': '%.32s' is not what a %s can have", value,
				  access_op_name(op));
	file_op_to_io(op, (uint32_t)flags, &s->flags);
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

WORD_READER(flags)
{
	char text[IO_FLAGS_TEXT_MAX], *word, *rest = NULL;

	if (r->p->level == PROFILE_OF_FILES)
		return read_file_flags(r, instance, value);
	if (strlen(value) >= sizeof(text))
		return parse_fail(r, "'flags' is too long");
	memcpy(text, value, strlen(value) + 1);
	for (word = strtok_r(text, "|", &rest); word; word = strtok_r(NULL, "|", &rest)) {
		int bit = flag_bit(word);

		if (bit < 0)
			return parse_fail(
				r, "'flags': '%.32s' is not a flag that a profile can have", word);
		r->p->streams[instance].flags |= 1u << bit;
	}
	return 0;
}

WORD_WRITER(flags)
{
	profile_stream_flags(p, &p->streams[instance], text);
}

WORD_READER(submitter)
{
	int found = submitter_from_name(value);

	if (found < 0)
		return parse_fail(
			r,
			"'submitter': '%.32s' is none of direct, file, writeback, journal, metadata, other",
			value);
	r->p->streams[instance].submitter = (enum submitter)found;
	return 0;
}

WORD_WRITER(submitter)
{
	snprintf(text, SCHEMA_TEXT_MAX, "%s", submitter_name(p->streams[instance].submitter));
}

WORD_READER(pattern)
{
	struct profile_stream *s = &r->p->streams[instance];

	s->sequential = !strcmp(value, "sequential");
	if (!s->sequential && strcmp(value, "random"))
		return parse_fail(r, "'pattern': '%.32s' is neither sequential nor random", value);
	return 0;
}

WORD_WRITER(pattern)
{
	snprintf(text, SCHEMA_TEXT_MAX, "%s",
		 p->streams[instance].sequential ? "sequential" : "random");
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
WORD_READER(place)
{
	struct profile_stream *s = &r->p->streams[instance];
	char rest;

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

WORD_WRITER(place)
{
	const struct profile_stream *s = &p->streams[instance];

	if (s->place == PLACE_HOT)
		snprintf(text, SCHEMA_TEXT_MAX, "hot %" PRIu32 "%% of %" PRIu32 "%%", s->hot_pct,
			 s->hot_range_pct);
	else if (s->place == PLACE_ZIPF)
		snprintf(text, SCHEMA_TEXT_MAX, "zipf %.4g", s->zipf_permille / 1000.0);
	else if (s->place)
		snprintf(text, SCHEMA_TEXT_MAX, "%s",
			 s->place == PLACE_UNIFORM ? "uniform" : "sequential");
}

WORD_READER(space)
{
	uint64_t number;

	if (units_parse_count(value, 1, PROFILE_SPACES_MAX, &number))
		return parse_fail(r, "'space': '%.32s' is not a number from 1 to %d", value,
				  PROFILE_SPACES_MAX);
	r->p->streams[instance].space = (uint32_t)number - 1;
	return 0;
}

WORD_WRITER(space)
{
	if (p->streams[instance].space)
		snprintf(text, SCHEMA_TEXT_MAX, "%" PRIu32, p->streams[instance].space + 1);
}

/* One size for all IOs. */
WORD_READER(size)
{
	struct profile_stream *s = &r->p->streams[instance];

	if (parse_bytes(value, 0, PROFILE_BYTES_MAX, &s->sizes[0].bytes))
		return parse_fail(
			r, "'size': '%.32s' is not a number of bytes, of KiB (4K) or of MiB (2M)",
			value);
	s->sizes[0].ios = 1;
	s->size_count = 1;
	return 0;
}
