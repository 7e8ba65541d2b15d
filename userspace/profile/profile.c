// SPDX-License-Identifier: MIT
#include "profile/profile.h"

#include <stdlib.h>

#include "profile/arithmetic.h"
#include "profile/file_ops.h"

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
