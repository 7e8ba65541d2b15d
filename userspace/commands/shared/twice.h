/* SPDX-License-Identifier: MIT */
/* Messages about IOs that several traces hold. */
#ifndef BLKREEL_COMMANDS_SHARED_TWICE_H
#define BLKREEL_COMMANDS_SHARED_TWICE_H

#include "trace/streams/merge.h"

/* After all rows of the traces at `paths`: what came once, and which two may have counted IOs twice. */
void cmd_tell_twice(const struct trace_stream *stream, char *const *paths);
/* Whether two traces, which were read to their ends one after the other, share a time; then it warns. */
bool cmd_warn_twice(const char *a_path, const struct trace_reader *a, const char *b_path,
		    const struct trace_reader *b);

#endif
