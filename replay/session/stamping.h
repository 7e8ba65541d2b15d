/* SPDX-License-Identifier: MIT */
/* replay --stamp and --verify: stamps in what is written, and reading them again. */
#ifndef BLKREEL_REPLAY_SESSION_STAMPING_H
#define BLKREEL_REPLAY_SESSION_STAMPING_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/session/jobs.h"
#include "replay/session/outcome.h"
#include "replay/verify/durable.h"

/* A replay that stamps; all 0 of one that does not. */
struct replay_stamp {
	struct durable_progress progress;
	struct stamp_writer *writer;
	const char *path;
};

/*
 * Before the replay: creates STATE and lets the engine stamp. Does nothing without options->stamp. 0, or -1 with
 * *failure.
 */
int replay_stamp_start(const struct replay_stamp_options *options, const struct replay_input *input,
		       const struct mapping_options *mapping, uint64_t rounds,
		       struct replay_stamp *stamp, struct engine_options *engine,
		       struct failure *failure);
/* After the replay: writes the last STATE. 0, or -1 with *failure. */
int replay_stamp_end(struct replay_stamp *stamp, struct failure *failure);

/* --verify: reads the target of the job. *faults: a block or a write is not as it should be. 0, or -1 with *failure. */
int replay_stamp_verify(const struct replay_options *options, const struct replay_job *job,
			struct verify_outcome *outcome, bool *faults, struct failure *failure);

#endif
