/* SPDX-License-Identifier: MIT */
/* The sources of a replay, one on top of the other: the input, its mapping, what waits for what. */
#ifndef BLKREEL_COMMANDS_REPLAY_CHAIN_H
#define BLKREEL_COMMANDS_REPLAY_CHAIN_H

#include "commands/replay/input.h"
#include "replay/dependence/infer.h"
#include "replay/engine/engine.h"
#include "replay/source/mapping.h"

struct replay_chain {
	struct replay_input *of;
	uint64_t out_of_order;	     /* of the rounds that are over */
	struct replay_source *round; /* the input from its start; owned by `input` */
	struct replay_source *input, *mapped, *numbered, *inferred;
	struct replay_source *top; /* what the engine plays */
	struct mapping_counts mapping;
	struct dependence_counts dependence; /* of the modes that need it */
};

/* Prints one line and returns an exit code when the input cannot be played in this mode. */
int replay_chain_check(const struct replay_input *input, enum engine_mode mode);

/*
 * Where the ops of `ops` (bits 1u << enum replay_op) lie, from a pass over the whole input.
 * Prints and returns an exit code when that fails.
 */
int replay_chain_footprint(struct replay_input *input, uint32_t ops, struct footprint **footprint);

/*
 * Rounds begin `period_ns` after each other. `chain` must stay where it is until it is freed, which it is to be in any case. Prints and
 * returns an exit code when that fails.
 */
int replay_chain_create(struct replay_chain *chain, struct replay_input *input,
			const struct mapping_options *mapping, enum engine_mode mode,
			uint64_t rounds, uint64_t period_ns);

/* IOs that came too late in the file to be given in order; after the replay. */
uint64_t replay_chain_out_of_order(const struct replay_chain *chain);

void replay_chain_free(struct replay_chain *chain);

#endif
