/* SPDX-License-Identifier: MIT */
/* What replay --files plays: the operations of a trace, or those that a profile of files stands for. */
#ifndef BLKREEL_REPLAY_SESSION_FILES_PROFILE_H
#define BLKREEL_REPLAY_SESSION_FILES_PROFILE_H

#include "profile/profile.h"
#include "replay/session/failure.h"
#include "trace/file/reader.h"

/*
 * A reader of the trace `path`, or of a trace in memory made from the profile `path`; to be freed. `seed`: of the profile,
 * REPLAY_NO_SEED for its own. *files: those of the profile, if it is one. 0, or -1 with *failure.
 */
int replay_files_source(const char *path, uint64_t seed, struct trace_reader **reader,
			struct profile_files *files, struct failure *failure);

#endif
