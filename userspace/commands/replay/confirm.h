/* SPDX-License-Identifier: MIT */
/* Whether the data on targets may be destroyed: as the command line says, or the user on the terminal. */
#ifndef BLKREEL_COMMANDS_REPLAY_CONFIRM_H
#define BLKREEL_COMMANDS_REPLAY_CONFIRM_H

#include <stdbool.h>

#include "base/options.h"
#include "replay/session/failure.h"
#include "replay/target/target.h"

/*
 * Whether every block device among `targets` that is written to may be overwritten. `names` are those that --yes-destroy
 * gave; each must be one of the targets. On a terminal it shows a device that was not named, and asks. 0, or -1 with
 * *failure.
 */
int replay_confirm(const struct option_list *names, struct target *const *targets,
		   unsigned int count, struct failure *failure);

/* The part of it that asks nobody: each of `names` is one of the targets. 0, or -1 with *failure. */
int replay_confirm_names(const struct option_list *names, struct target *const *targets,
			 unsigned int count, struct failure *failure);

/* The target can be written to only if its user confirms that, which `names` do not. */
bool replay_confirm_is_missing(const struct option_list *names, const struct target *target);

#endif
