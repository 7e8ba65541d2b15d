/* SPDX-License-Identifier: MIT */
/* What the writes of a replay hold, and how many of them memory allows in flight. */
#ifndef BLKREEL_REPLAY_SESSION_CONTENT_H
#define BLKREEL_REPLAY_SESSION_CONTENT_H

#include <stdint.h>

#include "replay/engine/buffers.h"
#include "replay/session/failure.h"
#include "replay/session/options.h"

/*
 * Fills *content and *iodepth, which is lower than asked for where writes with content of their own would need too much
 * memory. 0; -1 with *failure when the user gave that depth.
 */
int replay_content_plan(const struct replay_options *options, uint64_t longest_write_bytes,
			struct buffers_content *content, uint32_t *iodepth,
			struct failure *failure);

#endif
