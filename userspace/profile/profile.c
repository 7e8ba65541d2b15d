// SPDX-License-Identifier: MIT
#include "profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "profile/arithmetic.h"
#include "profile/file_ops.h"

#define SUM_PARTS 20 /* a sum may be off by one of so many parts */

const char *const submitter_names[SUBMITTER_COUNT + 1] = {
	[SUBMITTER_OTHER] = "other",	 [SUBMITTER_DIRECT] = "direct",
	[SUBMITTER_FILE] = "file",	 [SUBMITTER_WRITEBACK] = "writeback",
	[SUBMITTER_JOURNAL] = "journal", [SUBMITTER_METADATA] = "metadata",
};

const char *submitter_name(enum submitter submitter)
{
	return submitter < SUBMITTER_COUNT ? submitter_names[submitter] : "other";
}

const char *profile_stream_op(const struct profile *p, const struct profile_stream *s)
{
	return p->level == PROFILE_OF_FILES ? access_op_name(file_op_of_io(s->op, s->flags))
					    : io_op_name(s->op);
}

const char *profile_stream_flags(const struct profile *p, const struct profile_stream *s,
				 char *text)
{
	return p->level == PROFILE_OF_FILES
		       ? access_flags_text(file_op_flags(s->op, s->flags), text)
		       : io_flags_text(s->flags, text);
}

void profile__free(struct profile *p)
{
	free(p);
}

/* What is being checked, and where to say so. */
struct check {
	const struct profile *p;
	char *message;
	struct profile_place *place;
};

/* Stream 0: of [profile]; otherwise counted from 1. */
static __attribute__((format(printf, 4, 0))) int refuse(const struct check *c, uint32_t stream,
							const char *key, const char *format,
							unsigned long long a, unsigned long long b)
{
	snprintf(c->message, PROFILE_MESSAGE_MAX, format, a, b);
	if (!c->place)
		return -EINVAL;
	snprintf(c->place->key, sizeof(c->place->key), "%s", key);
	if (stream)
		snprintf(c->place->section, sizeof(c->place->section), "stream %u", stream);
	else
		snprintf(c->place->section, sizeof(c->place->section), "profile");
	return -EINVAL;
}

static int check_stream(const struct check *c, uint32_t index)
{
	const struct profile *p = c->p;
	const struct profile_stream *s = &p->streams[index];
	const struct profile_space *space = &p->spaces[s->space];
	uint64_t bytes = (p->end_sector - p->first_sector) * SECTOR_BYTES;

	if (space->end_sector)
		bytes = (space->end_sector - space->first_sector) * SECTOR_BYTES;
	if (s->sequential && !s->place && s->op != IO_OP_READ && s->op != IO_OP_WRITE)
		return refuse(c, index + 1, "pattern",
			      "stream %llu: only reads and writes can be sequential", index + 1ull,
			      0);
	for (uint32_t i = 0; i < s->size_count; i++) {
		if (s->op != IO_OP_FLUSH && s->sizes[i].ios && s->sizes[i].bytes > bytes)
			return refuse(c, index + 1, "sizes",
				      "stream %llu: a size of %llu bytes does not fit between "
				      "first_sector and end_sector",
				      index + 1ull, s->sizes[i].bytes);
	}
	return 0;
}

static int check_spaces(const struct check *c)
{
	const struct profile *p = c->p;

	for (uint32_t i = 0; i < PROFILE_SPACES_MAX; i++) {
		const struct profile_space *space = &p->spaces[i];

		if (!space->end_sector && !space->first_sector)
			continue;
		if (space->first_sector < p->first_sector || space->end_sector > p->end_sector ||
		    space->first_sector >= space->end_sector)
			return refuse(c, 0, "first_sector",
				      "addresses %llu do not lie between first_sector and "
				      "end_sector (%llu) of [profile]",
				      i + 1ull, p->end_sector);
	}
	return 0;
}

uint64_t profile_ios_of_streams(const struct profile *p)
{
	uint64_t ios = 0;

	for (uint32_t i = 0; i < p->stream_count; i++)
		ios += p->streams[i].ios;
	return ios;
}

uint64_t profile_ios_of_sizes(const struct profile_stream *s)
{
	uint64_t ios = 0;

	for (uint32_t i = 0; i < s->size_count; i++)
		ios += s->sizes[i].ios;
	return ios;
}

uint64_t profile_ios_of_kind_in(const struct profile *p, uint32_t kind, uint32_t stream)
{
	uint64_t sum = 0;

	for (uint32_t k = 0; k < p->closed.kind_count; k++)
		sum += p->closed.kinds[k].streams[stream];
	return sum ? part_begin(p->streams[stream].ios, p->closed.kinds[kind].streams[stream], sum)
		   : 0;
}

uint64_t profile_ios_of_kind(const struct profile *p, uint32_t kind)
{
	uint64_t ios = 0;

	for (uint32_t s = 0; s < p->stream_count; s++)
		ios += profile_ios_of_kind_in(p, kind, s);
	return ios;
}

/* By more than scaling rounds: of each stream by itself, and up again what was scaled down. */
static bool differ(uint64_t sum, uint64_t ios, uint32_t streams)
{
	uint64_t by = sum > ios ? sum - ios : ios - sum;

	return by > streams && by > ios / SUM_PARTS;
}

static int check_sums(const struct check *c)
{
	const struct profile *p = c->p;
	uint64_t streams = profile_ios_of_streams(p), phases = 0, windows;

	for (uint32_t i = 0; i < p->stream_count; i++)
		phases += sum_of_counts(p->streams[i].phases, p->phase_count);
	windows = sum_of_counts(p->arrival.windows, p->arrival.window_count);
	if (windows != p->ios)
		return refuse(c, 0, "ios", "the windows hold %llu IOs in sum, but ios is %llu",
			      windows, p->ios);
	if (p->ios && !streams)
		return refuse(c, 0, "ios", "ios is %llu, but no stream has any (streams: %llu)",
			      p->ios, p->stream_count);
	/* Where no phase says how many there are, `ios` of a stream is a weight. */
	if (phases && differ(streams, p->ios, p->stream_count))
		return refuse(c, 0, "ios", "the streams hold %llu IOs in sum, but ios is %llu",
			      streams, p->ios);
	return 0;
}

int profile__check(const struct profile *p, char message[PROFILE_MESSAGE_MAX],
		   struct profile_place *place)
{
	struct check check = {p, message, place}, *c = &check;
	int err;

	message[0] = 0;
	if (p->end_sector < p->first_sector)
		return refuse(c, 0, "end_sector", "end_sector %llu is before first_sector %llu",
			      p->end_sector, p->first_sector);
	if (p->device_bytes && p->end_sector * SECTOR_BYTES > p->device_bytes)
		return refuse(c, 0, "end_sector", "end_sector %llu is beyond device_bytes %llu",
			      p->end_sector, p->device_bytes);
	if (p->ios && (p->phase_count < 1 || p->phase_count > p->arrival.window_count))
		return refuse(c, 0, "phases", "phases is %llu, but must be 1 to the %llu windows",
			      p->phase_count, p->arrival.window_count);
	err = check_spaces(c);
	for (uint32_t i = 0; i < p->stream_count && !err; i++)
		err = check_stream(c, i);
	return err ? err : check_sums(c);
}
