/* SPDX-License-Identifier: MIT */
/* replay -o: the device that a replay ends on, recorded meanwhile with the same probes. */
#ifndef BLKREEL_COMMANDS_REPLAY_RECORD_H
#define BLKREEL_COMMANDS_REPLAY_RECORD_H

#include "collector/recording/recording.h"
#include "replay/engine/options.h"
#include "replay/session/failure.h"
#include "replay/target/target.h"

#define REPLAY_RECORD_MAX 64

/*
 * Records the devices of up to REPLAY_RECORD_MAX targets. The trace names `mode`, whether the IOs are `generated`, and
 * the parties of `without` ("": none). 0, or -1 with *failure.
 */
int replay_record_start(const char *path, enum engine_mode mode, bool generated,
			const char *without, struct target *const *targets, unsigned int count,
			struct recording **recording, struct failure *failure);

/*
 * Records a row for each operation on files of a directory, which lies on `device`, and that device. 0, or -1 with
 * *failure.
 */
int replay_record_start_files(const char *path, const char *directory, dev_t device,
			      struct recording **recording, struct failure *failure);

/* `recording` may be NULL. Warns of lost records. 0, or -1 with *failure. */
int replay_record_stop(struct recording *recording, const char *path, struct failure *failure);

#endif
