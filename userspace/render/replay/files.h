/* SPDX-License-Identifier: MIT */
/* The outcome of a replay on files, for people and as a document (blkreel.replay_files/1). */
#ifndef BLKREEL_RENDER_REPLAY_FILES_H
#define BLKREEL_RENDER_REPLAY_FILES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "replay/files/player.h"
#include "workload/missing_rows.h"

struct file_replay_outcome {
	const char *source_path;
	const struct file_player_options *options;
	const struct file_result *result;
	struct missing_rows missing; /* from the source */
	enum file_cache cache;	     /* at the start */
	uint64_t memory_bytes;	     /* of the control group; 0: none */
	const char *trace_path;	     /* the recording of the replay, or NULL; if there is one: */
	uint64_t hit_pages, miss_pages;
};

/* New reference. */
json_t *file_replay_json(const struct file_replay_outcome *o);
/* 0 or negative errno. */
int file_replay_text(const struct file_replay_outcome *o, FILE *out);

#endif
