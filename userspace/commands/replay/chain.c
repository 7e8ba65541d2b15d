// SPDX-License-Identifier: MIT
#include "commands/replay/chain.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "commands/shared/command.h"
#include "render/replay/replay.h"
#include "replay/source/numbering.h"
#include "replay/source/repeat.h"

static bool needs_completions(enum engine_mode mode)
{
	return mode == ENGINE_DEPTH || mode == ENGINE_DEPENDENT;
}

int replay_chain_check(const struct replay_input *input, enum engine_mode mode)
{
	if (!needs_completions(mode))
		return EXIT_OK;
	if (!input->reader && !input->survey.completions) {
		pr_err("%s: this profile does not say what waited for what (no [closed]): mode %s "
		       "needs one of a recorded trace, or the trace",
		       input->path, replay_mode_name(mode));
		return EXIT_BAD_INPUT;
	}
	if (!input->survey.completions) {
		pr_err("%s: it has no times of completion, which mode %s needs: use --mode timed",
		       input->path, replay_mode_name(mode));
		return EXIT_BAD_INPUT;
	}
	if (mode == ENGINE_DEPENDENT && !input->survey.submitters)
		pr_warn("%s: it does not tell submitters apart: all IOs are taken as one task's",
			input->path);
	return EXIT_OK;
}

int replay_chain_footprint(struct replay_input *input, uint32_t ops, struct footprint **footprint)
{
	struct replay_source *source;
	struct replay_io io;
	int err, code;

	code = replay_input_source(input, &source);
	if (code)
		return code;
	err = footprint__create(footprint);
	while (!err && (err = replay_source__next(source, &io)) > 0)
		err = ops & 1u << io.op ? footprint__add(*footprint, &io) : 0;
	replay_source__free(source);
	if (!err)
		err = footprint__finish(*footprint);
	if (err == -E2BIG)
		pr_err("%s: it touches too many separate places for --fit compact: say --fit "
		       "wrap or scale",
		       input->path);
	else if (err)
		pr_err("%s: cannot find out what it touches: %s", input->path, strerror(-err));
	return err == -E2BIG ? EXIT_BAD_INPUT : err ? EXIT_FAILED : EXIT_OK;
}

/* Called by the thread that reads ahead. */
static int begin_round(void *context, struct replay_source **source)
{
	struct replay_chain *chain = context;

	if (*source)
		chain->out_of_order += replay_input_out_of_order(chain->of, *source);
	replay_source__free(*source);
	*source = NULL;
	chain->round = NULL;
	if (replay_input_source(chain->of, source))
		return -EIO;
	chain->round = *source;
	return 0;
}

uint64_t replay_chain_out_of_order(const struct replay_chain *chain)
{
	return chain->out_of_order +
	       (chain->round ? replay_input_out_of_order(chain->of, chain->round) : 0);
}

int replay_chain_create(struct replay_chain *chain, struct replay_input *input,
			const struct mapping_options *mapping, enum engine_mode mode,
			uint64_t rounds, uint64_t period_ns)
{
	struct repeat_options repeat = {
		.rounds = rounds,
		.period_ns = period_ns,
		.again = begin_round,
		.context = chain,
	};
	int err;

	*chain = (struct replay_chain){.of = input};
	err = repeat__create(&repeat, &chain->input);
	if (!err)
		err = mapping__create(chain->input, mapping, &chain->mapping, &chain->mapped);
	if (!err)
		err = numbered__create(chain->mapped, &chain->numbered);
	chain->top = chain->numbered;
	/* On top, so that it knows of the IOs that are played, and of no other. */
	if (!err && needs_completions(mode)) {
		err = dependence__create(chain->numbered, &chain->dependence, &chain->inferred);
		chain->top = chain->inferred;
	}
	if (!err)
		return EXIT_OK;
	pr_err("no memory for the replay");
	return EXIT_FAILED;
}

void replay_chain_free(struct replay_chain *chain)
{
	replay_source__free(chain->inferred);
	replay_source__free(chain->numbered);
	replay_source__free(chain->mapped);
	replay_source__free(chain->input);
}
