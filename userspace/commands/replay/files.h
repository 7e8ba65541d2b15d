/* SPDX-License-Identifier: MIT */
/* replay --files: the operations on files of a trace, on a tree of files that is laid out first. */
#ifndef BLKREEL_COMMANDS_REPLAY_FILES_H
#define BLKREEL_COMMANDS_REPLAY_FILES_H

#include "commands/replay/config.h"
#include "replay/session/failure.h"

/* Loads the operations, lays out the files, replays and prints the outcome. 0, or -1 with *failure. */
int replay_files(const struct replay_config *config, const char *path,
		 const struct replay_window *window, struct failure *failure);

#endif
