// SPDX-License-Identifier: MIT
#include "profile/text/words.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "profile/file_ops.h"
#include "profile/text/edits.h"
#include "profile/text/parser.h"

WORD_WRITER(version)
{
	snprintf(text, SCHEMA_TEXT_MAX, "%d", PROFILE_VERSION);
}

int parse_sectors(const char *text, uint64_t *sectors)
{
	uint64_t bytes;

	if (units_parse_bytes(text, &bytes) || bytes % SECTOR_BYTES)
		return -EINVAL;
	*sectors = bytes / SECTOR_BYTES;
	return 0;
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
		 s->hot_pct <= 100 && s->hot_range_pct >= 1 && s->hot_range_pct <= 100)
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
