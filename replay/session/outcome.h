/* SPDX-License-Identifier: MIT */
/* The outcome of a replay, and of replay --verify. */
#ifndef BLKREEL_REPLAY_SESSION_OUTCOME_H
#define BLKREEL_REPLAY_SESSION_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/engine/options.h"
#include "replay/engine/result.h"
#include "replay/engine/steady.h"
#include "replay/session/cpu_sleep.h"
#include "replay/session/disturbance.h"
#include "replay/source/mapping.h"
#include "replay/target/target.h"
#include "replay/verify/stamp_state.h"
#include "replay/verify/verifier.h"
#include "workload/missing_rows.h"

/* A target that was replayed onto through the page cache. */
struct replay_buffered {
	const char *cache;	   /* "cold" or "warm", as asked for */
	uint64_t memory_bytes;	   /* of the control group; 0: none */
	uint64_t read_first_bytes; /* warm: bytes read, in whole pages */
	bool start_known;	   /* else cached_bytes is 0, because the kernel does not tell */
	uint64_t cached_bytes;	   /* of the target, when the replay began */
	bool writes;		   /* it was synced at the end, see below */
	bool end_known;		   /* else dirty_bytes is 0 */
	uint64_t dirty_bytes;	   /* before the sync */
	uint64_t sync_ns;
	int sync_error; /* positive errno; 0: everything is on the target */
};

struct replay_outcome {
	const char *source_path;
	const char *source_device; /* name of the recorded device; "profile" for a profile;
				    * NULL for the total of several */
	uint64_t source_ios;
	const char *const *without; /* --without: parties whose IOs are left out */
	unsigned int without_count;
	uint64_t left_out_ios;		  /* of the recorded device: not in source_ios */
	uint64_t flush_machinery_ios;	  /* of the recording, which the kernel sends anew */
	uint32_t source_depth_max;	  /* IOs in flight when recorded; 0: not known */
	uint64_t rounds;		  /* rounds to play */
	unsigned int workers;		  /* workers that shared the IOs */
	const struct target_info *target; /* NULL as source_device */
	const struct engine_options *engine;
	const struct engine_result *result;
	enum replay_fit fit;
	bool reads_only;
	bool histograms; /* --histograms */
	uint64_t out_of_order;
	const struct missing_rows *missing;  /* from the source */
	const struct steady_verdict *steady; /* --until-steady, else NULL */
	const uint64_t *steady_rounds;
	const char *steady_figure;
	const char *trace_path; /* the recording of the replay, or NULL */
	enum cpu_sleep cpu_sleep;
	struct replay_disturbance disturbance;
	const struct replay_buffered *buffered; /* NULL: not buffered, or the total of several */
};

/* Of a replay --verify. */
struct verify_outcome {
	const char *source_path;
	const struct target_info *target;
	struct stamp_state state;
	uint64_t required; /* all writes up to this number had to be there */
	bool durable_only; /* only flushed writes had to be there, else all completed ones */
	struct verifier_result result;
};

#endif
