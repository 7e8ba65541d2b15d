// SPDX-License-Identifier: MIT
#include "replay/session/stamping.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/exit_codes.h"
#include "base/log.h"
#include "base/units.h"
#include "replay/session/chain.h"

/* FNV-1a of everything that decides which IO goes where. */
static uint64_t plan_hash(const struct replay_input *input, const struct mapping_options *mapping,
			  uint64_t rounds)
{
	uint64_t hash = 0xcbf29ce484222325ull;
	char text[512];

	snprintf(text, sizeof(text),
		 "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		 " %d %" PRIu64 " %" PRIu64 " %" PRIu32 " %" PRIu32,
		 input->survey.ios, input->survey.last_due_ns, input->survey.bytes[REPLAY_WRITE],
		 input->reader ? 0 : input->seed, input->window.from_ns, input->window.to_ns,
		 rounds, mapping->fit, mapping->source_bytes, mapping->target_bytes,
		 mapping->block_bytes, mapping->skipped_ops);
	for (const char *c = text; *c; c++)
		hash = (hash ^ (uint8_t)*c) * 0x100000001b3ull;
	for (unsigned int op = 0; op < REPLAY_OP_COUNT; op++)
		hash = (hash ^ mapping->instead[op]) * 0x100000001b3ull;
	return hash;
}

int replay_stamp_start(const struct replay_stamp_options *options, const struct replay_input *input,
		       const struct mapping_options *mapping, uint64_t rounds,
		       struct replay_stamp *stamp, struct engine_options *engine,
		       struct failure *failure)
{
	struct stamp_state state = {
		.plan = plan_hash(input, mapping, rounds),
		.target_bytes = mapping->target_bytes,
		.block_bytes = mapping->block_bytes,
	};
	int err;

	*stamp = (struct replay_stamp){.path = options->stamp};
	if (!options->stamp)
		return 0;
	if (getrandom(&state.run, sizeof(state.run), 0) != (ssize_t)sizeof(state.run))
		return failure_add_errno(failure, errno, "no random number for the stamps");
	err = stamp_state__create(options->stamp, &state, &stamp->progress, &stamp->writer);
	if (err)
		return failure_add(failure, EXIT_FAILED, "%s: %s%s", options->stamp, strerror(-err),
				   err == -EEXIST ? ": --stamp makes a new file" : "");
	engine->content.stamped_bytes = state.block_bytes;
	engine->content.run = state.run;
	engine->written = &stamp->progress;
	return 0;
}

int replay_stamp_end(struct replay_stamp *stamp, struct failure *failure)
{
	int err;

	if (!stamp->writer)
		return 0;
	err = stamp_state__close(stamp->writer);
	stamp->writer = NULL;
	if (!err)
		return 0;
	return failure_add(failure, EXIT_FAILED, "%s: %s: what was written cannot be verified",
			   stamp->path, strerror(-err));
}

/* Verifying ---------------------------------------------------------------------------------- */

struct passes {
	struct replay_input *input;
	const struct mapping_options *mapping;
	struct replay_chain chain;
	struct failure *failure;
};

static int next_pass(void *context, struct replay_source **source)
{
	struct passes *passes = context;

	replay_chain_free(&passes->chain);
	if (replay_chain_create(&passes->chain, passes->input, passes->mapping, ENGINE_ASAP, 1, 0,
				passes->failure))
		return -ENOMEM;
	*source = passes->chain.top;
	return 0;
}

static int load_state(const char *path, const struct replay_input *input,
		      const struct mapping_options *mapping, uint64_t rounds,
		      struct stamp_state *state, struct failure *failure)
{
	int err = stamp_state__load(path, state);

	if (err == -EINVAL)
		return failure_add(failure, EXIT_BAD_INPUT, "%s: this is no file of replay --stamp",
				   path);
	if (err)
		return failure_add_errno(failure, err, "%s", path);
	if (state->target_bytes != mapping->target_bytes)
		return failure_add(failure, EXIT_BAD_INPUT,
				   "%s: the target had %s, this one has %s", path,
				   COUNTED_TEXT(state->target_bytes, "byte"),
				   COUNTED_TEXT(mapping->target_bytes, "byte"));
	if (state->plan != plan_hash(input, mapping, rounds))
		return failure_add(
			failure, EXIT_BAD_INPUT,
			"%s: it belongs to another source or to other options (--fit, --from, "
			"--to, --loop, --source, --unsupported): use the same",
			path);
	return 0;
}

static bool has_faults(const struct verifier_result *result)
{
	uint64_t faults = result->torn_writes;

	for (unsigned int kind = 0; kind < VERIFIED_KINDS; kind++)
		faults += kind == VERIFIED_OK ? 0 : result->blocks[kind];
	return faults > 0;
}

int replay_stamp_verify(const struct replay_options *options, const struct replay_job *job,
			struct verify_outcome *outcome, bool *faults, struct failure *failure)
{
	const struct mapping_options *mapping = &job->plan.mapping;
	struct passes passes = {.input = job->input, .mapping = mapping, .failure = failure};
	struct verifier_options verifier_options = {
		.fd = target__fd(job->target),
		.target_bytes = mapping->target_bytes,
		.block_bytes = mapping->block_bytes,
		.rounds = options->rounds,
		.again = next_pass,
		.context = &passes,
	};
	struct stamp_state *state = &outcome->state;
	int err;

	*outcome = (struct verify_outcome){.source_path = job->input->path,
					   .target = target__info(job->target)};
	if (load_state(options->stamp.verify, job->input, mapping, options->rounds, state, failure))
		return -1;
	outcome->durable_only = options->stamp.after_crash || !state->ended;
	outcome->required = outcome->durable_only ? state->durable : state->completed;
	verifier_options.run = state->run;
	verifier_options.required = outcome->required;
	err = verifier__run(&verifier_options, &outcome->result);
	replay_chain_free(&passes.chain);
	if (err)
		return failure_add_errno(failure, err, "verifying ended early");
	*faults = has_faults(&outcome->result);
	if (state->failed)
		pr_warn("%s failed in the replay: the data counts as lost",
			COUNTED_TEXT(state->failed, "write"));
	return 0;
}
