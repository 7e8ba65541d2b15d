/* SPDX-License-Identifier: MIT */
/* replay -o: the device that a replay ends on, recorded meanwhile with the same probes. */
#ifndef BLKREEL_COMMANDS_REPLAY_RECORD_H
#define BLKREEL_COMMANDS_REPLAY_RECORD_H

#include "collector/recording/recording.h"
#include "replay/target/target.h"

#define REPLAY_RECORD_MAX 64

/*
 * Records the devices of up to REPLAY_RECORD_MAX targets. Prints one line and returns an exit code
 * when that fails.
 */
int replay_record_start(const char *path, struct target *const *targets, unsigned int count,
			struct recording **recording);

/* The same for what happens to files, in a folder on `device`, with a row for each operation. */
int replay_record_start_files(const char *path, const char *folder, dev_t device,
			      struct recording **recording);

/* `recording` may be NULL. Says what was lost; returns an exit code. */
int replay_record_stop(struct recording *recording, const char *path);

#endif
