/* SPDX-License-Identifier: MIT */
/* replay --stamp and --verify: stamps in what is written, and reading them again. */
#ifndef BLKREEL_COMMANDS_REPLAY_STAMPING_H
#define BLKREEL_COMMANDS_REPLAY_STAMPING_H

#include <stdbool.h>
#include <stdint.h>

#include "commands/replay/input.h"
#include "replay/engine/engine.h"
#include "replay/source/mapping.h"
#include "replay/verify/stamp_state.h"
#include "replay/target/target.h"

struct replay_stamp_words {
	const char *stamp, *verify; /* STATE, or NULL */
	bool after_crash;
};

/* What is wrong with the words, or NULL. */
const char *replay_stamp_usage(const struct replay_stamp_words *words, bool write, bool dependent,
			       uint64_t dedup_pct);

/* Of the target, as the replay is to see it: its blocks are long enough for what was said. */
void replay_stamp_target(const struct replay_stamp_words *words, struct target_info *info);

/* A replay that stamps; all 0 of one that does not. */
struct replay_stamp {
	struct durable_progress progress;
	struct stamp_writer *writer;
	const char *path;
};

/*
 * Before the replay: makes STATE and lets the engine stamp. Does nothing when that was not asked
 * for. An exit code; prints.
 */
int replay_stamp_start(const struct replay_stamp_words *words, const struct replay_input *input,
		       const struct mapping_options *mapping, uint64_t rounds,
		       struct replay_stamp *stamp, struct engine_options *engine);
/* After it. An exit code; prints. */
int replay_stamp_end(struct replay_stamp *stamp);

/* --verify: reads and prints. The exit code. */
int replay_stamp_verify(const struct replay_stamp_words *words, struct replay_input *input,
			const struct mapping_options *mapping, uint64_t rounds,
			const struct target *target, bool json);

#endif
