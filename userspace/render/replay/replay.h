/* SPDX-License-Identifier: MIT */
/* The outcome of a replay, for people and as a document (blkreel.replay/1). */
#ifndef BLKREEL_RENDER_REPLAY_REPLAY_H
#define BLKREEL_RENDER_REPLAY_REPLAY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "replay/dependence/infer.h"
#include "replay/engine/engine.h"
#include "replay/source/mapping.h"
#include "replay/engine/steady.h"
#include "replay/target/target.h"

/* A target through the page cache. */
struct replay_buffered {
	const char *cache;	   /* "cold", "warm": that was asked for */
	uint64_t memory_bytes;	   /* of the control group; 0: none */
	uint64_t read_first_bytes; /* warm: of what the source touches, in whole pages */
	bool start_known;	   /* else cached_bytes is 0: the kernel does not tell */
	uint64_t cached_bytes;	   /* of the target, when the replay began */
	bool writes;		   /* it was synced at the end: */
	bool end_known;		   /* else dirty_bytes is 0 */
	uint64_t dirty_bytes;	   /* before that */
	uint64_t sync_ns;
	int sync_error; /* positive errno; 0: all of it is on the target */
};

struct replay_outcome {
	const char *source_path;
	const char *source_device; /* name of the recorded device; "profile" for a profile;
				    * NULL for the total of several */
	uint64_t source_ios;
	uint64_t rounds;		  /* that the source was to be played */
	unsigned int workers;		  /* that shared its IOs */
	const struct target_info *target; /* NULL as source_device */
	const struct engine_options *engine;
	const struct engine_result *result;
	const struct mapping_counts *mapping;
	const struct dependence_counts *dependence; /* ENGINE_DEPENDENT, else NULL */
	enum replay_fit fit;
	uint32_t unsupported_ops; /* bits of the ops that were left out for the target's sake */
	bool reads_only;
	uint64_t out_of_order;
	const struct steady_verdict *steady; /* --until-steady, else NULL */
	const uint64_t *steady_rounds;
	const char *steady_figure;
	const char *trace_path;			/* what was recorded meanwhile, or NULL */
	const struct replay_buffered *buffered; /* NULL: not, or the total of several */
};

const char *replay_mode_name(enum engine_mode mode);
const char *replay_priority_name(enum priority_class priority);
const char *replay_fit_name(enum replay_fit fit);

/* IOs left out or emulated for the target cannot do them, left out for only reads were wanted. */
uint64_t replay_outcome_unsupported(const struct replay_outcome *o);
uint64_t replay_outcome_emulated(const struct replay_outcome *o);
uint64_t replay_outcome_left_out(const struct replay_outcome *o);

/* Of what was completed after the ramp. */
double replay_outcome_iops(const struct replay_outcome *o);
double replay_outcome_bytes_per_second(const struct replay_outcome *o);

/* New reference. */
json_t *replay_outcome_json(const struct replay_outcome *o);
/* 0 or negative errno. */
int replay_outcome_text(const struct replay_outcome *o, FILE *out);

/* Several outcomes of one replay, which ran at the same time, and their total. */
struct replay_totals {
	const struct replay_outcome *lanes;
	unsigned int count;
	struct replay_outcome all; /* the only one, when there is one */
	struct engine_result *result;
	struct mapping_counts mapping;
	struct dependence_counts dependence;
};

/* `lanes` must outlive the totals. 0 or -ENOMEM. */
int replay_totals__create(const struct replay_outcome *lanes, unsigned int count,
			  struct replay_totals *t);
void replay_totals__release(struct replay_totals *t);

/* Of one outcome as above; of several the total, with a document of each under "maps". */
json_t *replay_totals_json(const struct replay_totals *t);
int replay_totals_text(const struct replay_totals *t, FILE *out);

#endif
