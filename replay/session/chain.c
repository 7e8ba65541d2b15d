// SPDX-License-Identifier: MIT
#include "replay/session/chain.h"

#include <errno.h>
#include <string.h>

#include "base/exit_codes.h"
#include "base/log.h"
#include "replay/source/write_numbers.h"
#include "replay/source/recorded_depth.h"
#include "replay/source/repeat.h"

static bool needs_completions(enum engine_mode mode)
{
	return mode == ENGINE_DEPTH || mode == ENGINE_DEPENDENT;
}

int replay_chain_check(const struct replay_input *input, enum engine_mode mode,
		       struct failure *failure)
{
	if (!needs_completions(mode))
		return 0;
	if (!input->reader && !input->survey.completions)
		return failure_add(
			failure, EXIT_BAD_INPUT,
			"%s: this profile does not say which IO waited for which (it has no "
			"[closed]): mode %s needs a profile of a recorded trace, or the trace",
			input->path, engine_mode_names[mode]);
	if (!input->survey.completions)
		return failure_add(failure, EXIT_BAD_INPUT,
				   "%s: it has no times of completion, which mode %s needs: use "
				   "--mode timed",
				   input->path, engine_mode_names[mode]);
	if (mode == ENGINE_DEPENDENT && !input->survey.submitters)
		pr_warn("%s: it does not tell submitters apart: all IOs are taken as one task's",
			input->path);
	return 0;
}

int replay_chain_footprint(struct replay_input *input, uint32_t ops, struct footprint **footprint,
			   struct failure *failure)
{
	struct replay_source *source;
	struct replay_io io;
	int err;

	if (replay_input_source(input, &source, failure))
		return -1;
	err = footprint__create(footprint);
	while (!err && (err = replay_source__next(source, &io)) > 0)
		err = ops & 1u << io.op ? footprint__add(*footprint, &io) : 0;
	replay_source__free(source);
	if (!err)
		err = footprint__finish(*footprint);
	if (err == -E2BIG)
		return failure_add(
			failure, EXIT_BAD_INPUT,
			"%s: it touches too many separate places for --fit compact: use --fit wrap "
			"or scale",
			input->path);
	if (err)
		return failure_add_errno(failure, err, "%s: cannot find out what it touches",
					 input->path);
	return 0;
}

/* Called by the reader thread. */
static int begin_round(void *context, struct replay_source **source)
{
	struct replay_chain *chain = context;

	if (*source)
		chain->out_of_order += replay_input_out_of_order(chain->of, *source);
	replay_source__free(*source);
	*source = NULL;
	chain->round = NULL;
	if (replay_input_source(chain->of, source, chain->failure))
		return -EIO;
	chain->round = *source;
	return 0;
}

uint64_t replay_chain_out_of_order(const struct replay_chain *chain)
{
	return chain->out_of_order +
	       (chain->round ? replay_input_out_of_order(chain->of, chain->round) : 0);
}

uint32_t replay_chain_depth_max(const struct replay_chain *chain)
{
	return chain->counted ? recorded_depth__highest(chain->counted) : 0;
}

int replay_chain_create(struct replay_chain *chain, struct replay_input *input,
			const struct mapping_options *mapping, enum engine_mode mode,
			uint64_t rounds, uint64_t period_ns, struct failure *failure)
{
	struct repeat_options repeat = {
		.rounds = rounds,
		.period_ns = period_ns,
		.again = begin_round,
		.context = chain,
	};
	int err;

	*chain = (struct replay_chain){.of = input, .failure = failure};
	err = repeat__create(&repeat, &chain->input);
	if (!err)
		err = mapping__create(chain->input, mapping, &chain->mapped);
	if (!err)
		err = write_numbers__create(chain->mapped, &chain->numbered);
	chain->top = chain->numbered;
	/* On top, so that they see only the IOs that are played. */
	if (!err && mode == ENGINE_TIMED && input->reader) {
		err = recorded_depth__create(chain->numbered, &chain->counted);
		chain->top = chain->counted;
	}
	if (!err && needs_completions(mode)) {
		err = dependence_source__create(chain->numbered, &chain->inferred);
		chain->top = chain->inferred;
	}
	return err ? failure_add(failure, EXIT_FAILED, "no memory for the replay") : 0;
}

void replay_chain_free(struct replay_chain *chain)
{
	replay_source__free(chain->inferred);
	replay_source__free(chain->counted);
	replay_source__free(chain->numbered);
	replay_source__free(chain->mapped);
	replay_source__free(chain->input);
}
