/* SPDX-License-Identifier: MIT */
/*
 * The sources of a job, one on top of the other: the input, its mapping, and what each IO waits
 * for.
 */
#ifndef BLKREEL_REPLAY_SESSION_CHAIN_H
#define BLKREEL_REPLAY_SESSION_CHAIN_H

#include "replay/session/input.h"
#include "replay/source/dependence.h"
#include "replay/engine/options.h"
#include "replay/source/mapping.h"

struct replay_chain {
	struct replay_input *of;
	struct failure *failure;     /* of a round that cannot begin */
	uint64_t out_of_order;	     /* of the rounds that are over */
	struct replay_source *round; /* the input from its start; owned by `input` */
	struct replay_source *input, *mapped, *numbered, *counted, *inferred;
	struct replay_source *top; /* what the engine plays */
};

/* Whether the input can be played in this mode. 0, or -1 with *failure. */
int replay_chain_check(const struct replay_input *input, enum engine_mode mode,
		       struct failure *failure);

/*
 * Where the ops of `ops` (bits 1u << enum replay_op) lie, from a pass over the whole input; to be freed, also after a
 * failure. 0, or -1 with *failure.
 */
int replay_chain_footprint(struct replay_input *input, uint32_t ops, struct footprint **footprint,
			   struct failure *failure);

/*
 * Rounds begin `period_ns` after each other. `chain` and `failure` must stay where they are until the chain is freed, which
 * it is to be in any case. A round that cannot begin later also fills *failure, in the thread that reads the source.
 * 0, or -1 with *failure.
 */
int replay_chain_create(struct replay_chain *chain, struct replay_input *input,
			const struct mapping_options *mapping, enum engine_mode mode,
			uint64_t rounds, uint64_t period_ns, struct failure *failure);

/* IOs that came too late in the file to be given in order; known after the replay. */
uint64_t replay_chain_out_of_order(const struct replay_chain *chain);

/*
 * Most IOs in flight when those that were read were recorded; 0: not known, a profile, or not mode timed. Known
 * after the replay.
 */
uint32_t replay_chain_depth_max(const struct replay_chain *chain);

/* Frees all sources of the chain. */
void replay_chain_free(struct replay_chain *chain);

#endif
