/* SPDX-License-Identifier: MIT */
/* What a command line asks of a replay. */
#ifndef BLKREEL_COMMANDS_REPLAY_CONFIG_H
#define BLKREEL_COMMANDS_REPLAY_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/options.h"
#include "commands/replay/content.h"
#include "commands/replay/stamping.h"

enum {
	FIT_NOT_SAID = UINT32_MAX,
	CACHE_NOT_SAID = UINT32_MAX,
	CACHE_WARM = 1, /* index into caches */
	CACHE_AS_RECORDED,
};

struct replay_config {
	const char *target;
	struct option_list map; /* SRC=DST */
	unsigned int mode;	/* enum engine_mode */
	unsigned int spin;	/* enum engine_spin */
	bool sqpoll;
	bool iopoll;
	unsigned int priority; /* index into the choices of --priority; 0: auto */
	double speed;	       /* 0: not said */
	uint64_t iodepth;      /* 0: the mode's default */
	uint64_t batch;	       /* of completions; 0: a quarter of iodepth */
	uint64_t workers;
	struct replay_content_words content;
	struct replay_stamp_words stamp;
	unsigned int fit; /* index into fits, or FIT_NOT_SAID */
	uint64_t from_ns, to_ns, duration_ns;
	bool write;
	struct option_list yes_destroy;
	bool reads_only;
	struct option_list force;
	uint64_t create_bytes;
	const char *output;
	bool json;
	uint64_t seed;
	unsigned int unsupported; /* enum plan_unsupported */
	const char *source;
	unsigned int on_error; /* index into on_errors */
	uint64_t rounds;
	uint64_t ramp_ns, round_ns;
	const char *series;
	unsigned int until_steady; /* enum steady_figure */
	double start_epoch_s;	   /* 0: not said */
	const char *files;	   /* the folder of --files; NULL: a replay of requests */
	bool buffered;
	unsigned int cache;    /* index into caches, or CACHE_NOT_SAID */
	uint64_t memory_bytes; /* 0: no limit */
};

#endif
