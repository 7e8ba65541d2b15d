// SPDX-License-Identifier: MIT
#include "base/units.h"
#include "commands/replay/stamping.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/log.h"
#include "commands/shared/command.h"
#include "commands/replay/chain.h"
#include "commands/replay/content.h"
#include "render/json.h"
#include "render/replay/verify.h"
#include "replay/source/repeat.h"
#include "replay/verify/stamp.h"
#include "replay/verify/verifier.h"

const char *replay_stamp_usage(const struct replay_stamp_words *words, bool write, bool dependent,
			       uint64_t dedup_pct)
{
	if (words->stamp && words->verify)
		return "--stamp and --verify exclude each other: the first writes, the second reads";
	if (words->stamp && !write)
		return "--stamp needs --write";
	if (words->stamp && dependent)
		return "--stamp needs writes in the order of the source, which mode dependent does "
		       "not keep";
	if (words->stamp && dedup_pct != REPLAY_CONTENT_NOT_SAID)
		return "--stamp and --dedup exclude each other: no two stamped blocks are the same";
	if (words->verify && write)
		return "--verify only reads: leave --write out";
	if (words->after_crash && !words->verify)
		return "--after-crash belongs to --verify";
	return NULL;
}

void replay_stamp_target(const struct replay_stamp_words *words, struct target_info *info)
{
	if ((words->stamp || words->verify) && info->block_bytes < STAMP_BLOCK_MIN_BYTES)
		info->block_bytes = STAMP_BLOCK_MIN_BYTES;
}

/* FNV-1a of what decides which IO goes where. */
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

int replay_stamp_start(const struct replay_stamp_words *words, const struct replay_input *input,
		       const struct mapping_options *mapping, uint64_t rounds,
		       struct replay_stamp *stamp, struct engine_options *engine)
{
	struct stamp_state state = {
		.plan = plan_hash(input, mapping, rounds),
		.target_bytes = mapping->target_bytes,
		.block_bytes = mapping->block_bytes,
	};
	int err;

	*stamp = (struct replay_stamp){.path = words->stamp};
	if (!words->stamp)
		return EXIT_OK;
	if (getrandom(&state.run, sizeof(state.run), 0) != (ssize_t)sizeof(state.run)) {
		pr_err("no random number for the stamps: %s", strerror(errno));
		return EXIT_FAILED;
	}
	err = stamp_state__create(words->stamp, &state, &stamp->progress, &stamp->writer);
	if (err) {
		pr_err("%s: %s%s", words->stamp, strerror(-err),
		       err == -EEXIST ? ": --stamp makes a new file" : "");
		return EXIT_FAILED;
	}
	engine->content.stamped_bytes = state.block_bytes;
	engine->content.run = state.run;
	engine->written = &stamp->progress;
	return EXIT_OK;
}

int replay_stamp_end(struct replay_stamp *stamp)
{
	int err;

	if (!stamp->writer)
		return EXIT_OK;
	err = stamp_state__close(stamp->writer);
	stamp->writer = NULL;
	if (!err)
		return EXIT_OK;
	pr_err("%s: %s: what was written cannot be verified", stamp->path, strerror(-err));
	return EXIT_FAILED;
}

/* Verifying ---------------------------------------------------------------------------------- */

struct passes {
	struct replay_input *input;
	const struct mapping_options *mapping;
	uint64_t rounds;
	struct replay_chain chain;
};

static int next_pass(void *context, struct replay_source **source)
{
	struct passes *passes = context;

	replay_chain_free(&passes->chain);
	if (replay_chain_create(&passes->chain, passes->input, passes->mapping, ENGINE_ASAP,
				passes->rounds,
				repeat__period_ns(passes->input->survey.ios,
						  passes->input->survey.last_due_ns)))
		return -ENOMEM;
	*source = passes->chain.top;
	return 0;
}

static int load_state(const char *path, const struct replay_input *input,
		      const struct mapping_options *mapping, uint64_t rounds,
		      struct stamp_state *state)
{
	int err = stamp_state__load(path, state);

	if (err == -EINVAL)
		pr_err("%s: this is no file of replay --stamp", path);
	else if (err)
		pr_err("%s: %s", path, strerror(-err));
	else if (state->target_bytes != mapping->target_bytes)
		pr_err("%s: the target had %s, this one has %s", path,
		       COUNTED_TEXT(state->target_bytes, "byte"),
		       COUNTED_TEXT(mapping->target_bytes, "byte"));
	else if (state->plan != plan_hash(input, mapping, rounds))
		pr_err("%s: it is of another source, or of other options (--fit, --from, --to, "
		       "--loop, --source, --unsupported): say the same",
		       path);
	else
		return EXIT_OK;
	return err && err != -EINVAL ? EXIT_FAILED : EXIT_BAD_INPUT;
}

static int verified_code(const struct verifier_result *result)
{
	uint64_t faults = result->torn_writes;

	for (unsigned int kind = 0; kind < VERIFIED_KINDS; kind++)
		faults += kind == VERIFIED_GOOD ? 0 : result->blocks[kind];
	return faults ? EXIT_FAILED : EXIT_OK;
}

int replay_stamp_verify(const struct replay_stamp_words *words, struct replay_input *input,
			const struct mapping_options *mapping, uint64_t rounds,
			const struct target *target, bool json)
{
	struct passes passes = {.input = input, .mapping = mapping, .rounds = rounds};
	struct verifier_options options = {
		.fd = target__fd(target),
		.target_bytes = mapping->target_bytes,
		.block_bytes = mapping->block_bytes,
		.again = next_pass,
		.context = &passes,
	};
	struct verifier_result result;
	struct stamp_state state;
	struct verify_outcome outcome = {
		.source_path = input->path, .target = target__info(target), .state = &state};
	int code = load_state(words->verify, input, mapping, rounds, &state);
	int err;

	if (code)
		return code;
	outcome.durable_only = words->after_crash || !state.ended;
	outcome.required = outcome.durable_only ? state.durable : state.completed;
	options.run = state.run;
	options.required = outcome.required;
	err = verifier__run(&options, &result);
	replay_chain_free(&passes.chain);
	if (err) {
		pr_err("verifying ended early: %s", strerror(-err));
		return EXIT_FAILED;
	}
	outcome.result = &result;
	if (state.failed)
		pr_warn("%s failed in the replay: what was to be written counts as lost",
			COUNTED_TEXT(state.failed, "write"));
	if (json)
		json_print(stdout, verify_outcome_json(&outcome));
	else
		verify_outcome_text(&outcome, stdout);
	code = cmd_flush_stdout();
	return code ? code : verified_code(&result);
}
