/* SPDX-License-Identifier: MIT */
/* The outcome of a replay, for people and as a document (blkreel.replay/1). */
#ifndef BLKREEL_RENDER_REPLAY_REPLAY_H
#define BLKREEL_RENDER_REPLAY_REPLAY_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "replay/session/outcome.h"

/* Names for people and for JSON. */
const char *replay_priority_name(enum priority_class priority);
const char *replay_fit_name(enum replay_fit fit);

/*
 * IOs left out because the target cannot do them, and because only reads were asked for. With
 * --reads-only there are none of the former: every target can do reads.
 */
uint64_t replay_outcome_unsupported(const struct replay_outcome *o);
uint64_t replay_outcome_not_read(const struct replay_outcome *o);

/* Rates of the IOs that completed after the ramp. */
double replay_outcome_iops(const struct replay_outcome *o);
double replay_outcome_bytes_per_second(const struct replay_outcome *o);

/* Of the time of the replay: its submitting thread waited for a CPU; of several the longest. */
double replay_outcome_cpu_wait_pct(const struct replay_outcome *o);

/* Time polled for due times, of the time of the replay: above 100 with several threads. */
double replay_outcome_spun_pct(const struct replay_outcome *o);

/* A target, for people in one line and as an object (new reference). */
void replay_target_text(const struct target_info *target, FILE *out);
json_t *replay_target_json(const struct target_info *target);

/* New reference. */
json_t *replay_outcome_json(const struct replay_outcome *o);
/* 0 or negative errno. */
int replay_outcome_text(const struct replay_outcome *o, FILE *out);

/* Several outcomes of one replay, which ran at the same time, and their total. */
struct replay_totals {
	const struct replay_outcome *jobs;
	unsigned int count;
	struct replay_outcome all; /* the only one, when there is one */
	struct engine_result *result;
};

/* `jobs` must outlive the totals. 0 or -ENOMEM. */
int replay_totals__create(const struct replay_outcome *jobs, unsigned int count,
			  struct replay_totals *t);
/* Frees what create() allocated. */
void replay_totals__release(struct replay_totals *t);

/* Of one outcome as above; of several the total, with a document of each under "maps". */
json_t *replay_totals_json(const struct replay_totals *t);
int replay_totals_text(const struct replay_totals *t, FILE *out);

#endif
