/* SPDX-License-Identifier: MIT */
/* Whether the data on targets may be destroyed: said on the command line, or asked for. */
#ifndef BLKREEL_COMMANDS_REPLAY_CONFIRM_H
#define BLKREEL_COMMANDS_REPLAY_CONFIRM_H

#include "base/options.h"
#include "replay/target/target.h"

/*
 * `words`: the names that --yes-destroy gave, each of which has to be one of `targets`. EXIT_OK when
 * every block device among these that is written to was named, or prints one line and returns EXIT_REFUSED. On a
 * terminal it shows what a device is that was not named, and asks.
 */
int replay_confirm(const struct option_list *words, struct target *const *targets,
		   unsigned int count);

#endif
