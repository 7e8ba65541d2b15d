/* SPDX-License-Identifier: MIT */
/* What a replay is to do, as its user decided. */
#ifndef BLKREEL_REPLAY_SESSION_OPTIONS_H
#define BLKREEL_REPLAY_SESSION_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/options.h"

#define REPLAY_NOT_GIVEN    UINT32_MAX
#define REPLAY_NO_SEED	    UINT64_MAX
#define REPLAY_DEDUP_ABSENT UINT64_MAX

enum replay_priority {
	REPLAY_PRIORITY_AUTO = 0,
	REPLAY_PRIORITY_NORMAL,
};

enum replay_on_error {
	REPLAY_ON_ERROR_CONTINUE = 0,
	REPLAY_ON_ERROR_STOP,
};

/* What the writes hold. */
struct replay_content_options {
	uint64_t compressible_pct; /* 0 to 99 */
	uint64_t dedup_pct;	   /* 0 to 100, or REPLAY_DEDUP_ABSENT */
};

struct replay_stamp_options {
	const char *stamp, *verify; /* STATE, or NULL */
	bool after_crash;
};

struct replay_options {
	unsigned int mode; /* enum engine_mode */
	unsigned int spin; /* enum engine_spin */
	bool sqpoll;
	bool iopoll;
	unsigned int priority; /* enum replay_priority */
	double speed;	       /* 0: not given */
	uint64_t iodepth;
	bool iodepth_given;
	uint64_t batch; /* of completions; 0: a quarter of iodepth */
	uint64_t workers;
	struct replay_content_options content;
	struct replay_stamp_options stamp;
	unsigned int fit; /* enum replay_fit - REPLAY_FIT_WRAP, or REPLAY_NOT_GIVEN */
	bool write;
	bool dry_run;
	bool reads_only;
	struct option_list force;
	uint64_t create_bytes;
	const char *output;	  /* the trace that the replay is recorded into, or NULL */
	uint64_t seed;		  /* REPLAY_NO_SEED: that of the source */
	unsigned int unsupported; /* enum plan_unsupported */
	unsigned int on_error;	  /* enum replay_on_error */
	uint64_t rounds;
	uint64_t ramp_ns;
	uint64_t runtime_ns;  /* 0: no limit */
	double start_epoch_s; /* 0: at once */
	bool buffered;
	unsigned int cache;    /* enum file_cache, or REPLAY_NOT_GIVEN */
	uint64_t memory_bytes; /* 0: no limit */
};

#endif
