/* SPDX-License-Identifier: MIT */
/*
 * The file beside a replay with --stamp that says which writes a later --verify may expect: lines
 * of text, written again as a whole and synced while the replay goes on, so that it also stands
 * there after the machine has died. It claims a little less than is true, never more.
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
	bool ended; /* by itself, a signal included: `completed` is all that there is */
};

struct stamp_writer;

/*
 * Makes `path`, which must not exist, and keeps it up from `progress` by a thread of its own.
 * 0; negative errno, -EEXIST among them.
 */
int stamp_state__create(const char *path, const struct stamp_state *state,
			const struct durable_progress *progress, struct stamp_writer **writer);

/* The last state, and the end. 0, or negative errno of a write that failed, then or before. */
int stamp_state__close(struct stamp_writer *writer);

/* 0; -EINVAL: this is no such file; other negative errno. */
int stamp_state__load(const char *path, struct stamp_state *state);

#endif
