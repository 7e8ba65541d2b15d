/* SPDX-License-Identifier: MIT */
/* replay --files: the operations on files of a trace, on a tree of files that is laid out first. */
#ifndef BLKREEL_COMMANDS_REPLAY_FILES_H
#define BLKREEL_COMMANDS_REPLAY_FILES_H

#include "commands/replay/config.h"
#include "replay/source/window.h"

/* What is wrong with the options of a replay with (or, of those only for it, without) --files, or NULL. */
const char *replay_files_usage(const struct replay_config *config);

/* Does all of it, prints the outcome and returns an exit code. */
int replay_files(const struct replay_config *config, const char *path,
		 const struct replay_window *window);

#endif
