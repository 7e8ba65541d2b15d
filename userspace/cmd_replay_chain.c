#include "cmd_replay_chain.h"

#include "base/log.h"
#include "cmd.h"
#include "render/replay_output.h"

static bool needs_completions(enum engine_mode mode)
{
	return mode == ENGINE_DEPTH || mode == ENGINE_DEPENDENT;
}

int replay_chain_check(const struct replay_input *input, enum engine_mode mode)
{
	if (!needs_completions(mode))
		return EXIT_OK;
	if (!input->reader) {
		pr_err("%s: a profile does not say what waited for what: mode %s needs a trace",
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

int replay_chain_create(struct replay_chain *chain, struct replay_input *input,
			const struct mapping_options *mapping, enum engine_mode mode)
{
	int err, code;

	*chain = (struct replay_chain){0};
	code = replay_input_source(input, &chain->input);
	if (code)
		return code;
	err = mapping__create(chain->input, mapping, &chain->mapping, &chain->mapped);
	chain->top = chain->mapped;
	/* On top, so that it knows of the IOs that are played, and of no other. */
	if (!err && needs_completions(mode)) {
		err = dependence__create(chain->mapped, &chain->dependence, &chain->inferred);
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
	replay_source__free(chain->mapped);
	replay_source__free(chain->input);
}
