/* SPDX-License-Identifier: MIT */
/* What replay --files plays: the operations of a trace, or those that a profile stands for. */
#ifndef BLKREEL_COMMANDS_REPLAY_FILES_PROFILE_H
#define BLKREEL_COMMANDS_REPLAY_FILES_PROFILE_H

#include "profile/profile.h"
#include "trace/file/reader.h"

/*
 * A reader of the trace `path`, or of a trace in memory that the profile `path` gives; seed UINT64_MAX: its own.
 * *files: of the profile, if it is one. Exit code, after one line.
 */
int replay_files_source(const char *path, uint64_t seed, struct trace_reader **reader,
			struct profile_files *files);

#endif
