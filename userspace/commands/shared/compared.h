/* SPDX-License-Identifier: MIT */
/* Several traces, each compared with the first. */
#ifndef BLKREEL_COMMANDS_SHARED_COMPARED_H
#define BLKREEL_COMMANDS_SHARED_COMPARED_H

#include "base/options.h"
#include "commands/shared/workload_input.h"

struct comparison;

/* Zero-filled is empty. */
struct compared {
	unsigned int count;
	struct workload_input *inputs;
	struct comparison *comparisons;
};

/*
 * Compares the device of each with the most IOs, or the first of `devices` that it has. Prints one
 * line and returns an exit code when that fails.
 */
int cmd_compare_all(struct compared *c, char *const *paths, unsigned int count,
		    const struct option_list *devices);

/* Of the first with the i-th; NULL: the first itself. */
const struct comparison *cmd_compared(const struct compared *c, unsigned int i);

void cmd_compared_release(struct compared *c);

#endif
