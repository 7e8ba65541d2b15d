/* SPDX-License-Identifier: MIT */
/*
 * The file that a replay with --stamp keeps, so that --verify knows which writes to expect. It is a
 * few lines of text, rewritten as a whole and synced while the replay runs, so that it survives a
 * crash of the machine. It may claim a little less than is true, never more.
 */
#ifndef BLKREEL_REPLAY_VERIFY_STAMP_STATE_H
#define BLKREEL_REPLAY_VERIFY_STAMP_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/verify/durable.h"

struct stamp_state {
	uint64_t run;
	uint64_t plan; /* a hash of source and options: the same IOs at the same places */
	uint64_t target_bytes;
	uint32_t block_bytes;
	uint64_t completed, durable, failed; /* as in struct durable_progress */
	bool ended; /* the replay came to its end, also by a signal: `completed` is final */
};

struct stamp_writer;

/*
 * Creates `path`, which must not exist, and updates it from `progress` with a thread of its own. 0;
 * negative errno, -EEXIST among them.
 */
int stamp_state__create(const char *path, const struct stamp_state *state,
			const struct durable_progress *progress, struct stamp_writer **writer);

/*
 * Writes the last state and ends the thread. 0, or negative errno of a write that failed, now or
 * before.
 */
int stamp_state__close(struct stamp_writer *writer);

/* Reads a state. 0; -EINVAL: this is no such file; other negative errno. */
int stamp_state__load(const char *path, struct stamp_state *state);

#endif
