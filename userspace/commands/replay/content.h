/* SPDX-License-Identifier: MIT */
/* What replay's writes hold, from the words of the command line. */
#ifndef BLKREEL_COMMANDS_REPLAY_CONTENT_H
#define BLKREEL_COMMANDS_REPLAY_CONTENT_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/engine/buffers.h"

#define REPLAY_CONTENT_NOT_SAID UINT64_MAX

struct replay_content_words {
	uint64_t compressible_pct; /* 0 to 99 */
	uint64_t dedup_pct;	   /* 0 to 100, or REPLAY_CONTENT_NOT_SAID */
	uint64_t iodepth;
	bool iodepth_said;
	bool stamped; /* content of its own, too */
};

/*
 * Fills *content and *iodepth, which is lowered where writes with content of their own would take
 * too much memory. An exit code; prints when that was asked for with --iodepth.
 */
int replay_content_plan(const struct replay_content_words *words, uint64_t longest_write_bytes,
			struct buffers_content *content, uint32_t *iodepth);

#endif
