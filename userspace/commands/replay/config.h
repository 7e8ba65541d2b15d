/* SPDX-License-Identifier: MIT */
/* What a command line asks of a replay. */
#ifndef BLKREEL_COMMANDS_REPLAY_CONFIG_H
#define BLKREEL_COMMANDS_REPLAY_CONFIG_H

#include "base/options.h"
#include "replay/session/options.h"
#include "replay/source/window.h"

struct replay_config {
	struct replay_options options;
	const char *target;
	struct option_list map; /* SRC=DST */
	const char *source;	/* the recorded device; NULL: the only one */
	const char *files;	/* the directory of --files; NULL: a replay of requests */
	const char *from, *to;	/* NULL: the start, the end */
	uint64_t duration_ns;
	struct option_list without; /* parties whose IOs are left out */
	struct option_list yes_destroy;
	const char *series;
	uint64_t round_ns;	   /* of series and steady state */
	unsigned int until_steady; /* enum steady_figure */
	bool json, histograms;
};

/* Before the command line is parsed. */
extern const struct replay_config replay_config_default;

/*
 * Checks that the options go together, and fills the defaults that depend on other options. EXIT_OK, or EXIT_USAGE after a
 * message.
 */
int replay_config_check(struct replay_config *config, const struct command_usage *usage);

/*
 * Fills *window from --from, --to and --duration. Reads from `path` when it began if one of them is
 * a time of day. EXIT_OK, or an exit code after a message.
 */
int replay_config_window(const struct replay_config *config, const struct command_usage *usage,
			 const char *path, struct replay_window *window);

#endif
