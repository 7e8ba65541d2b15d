/* SPDX-License-Identifier: MIT */
/* Compares a trace with a replay of it that left parties out (replay --without). */
#ifndef BLKREEL_COMMANDS_COMPARE_WITHOUT_H
#define BLKREEL_COMMANDS_COMPARE_WITHOUT_H

#include "commands/shared/workload_input.h"

struct without {
	char text[TRACE_PATH_MAX]; /* as in the trace of the replay; "": it left nothing out */
	char parties[TRACE_PATH_MAX];
	const char *list[OPTION_LIST_MAX];
	unsigned int count;
	struct left_out *left_out;
};

/*
 * Looks whether the trace at `replay` left parties out that `base` did not, so that the others alone can be
 * compared. A file that cannot be read left nothing out. Exit code.
 */
int without__find(struct without *w, const char *base, const char *replay);
void without__release(struct without *w);

/*
 * Prints, on stderr, what the others gained: how long their IOs took in `base` and in `replay`, beside how long they
 * waited behind the parties by the rows of waits of `base`, if it has these.
 */
void without__report(const struct without *w, const struct workload_input *base,
		     const struct workload_input *replay);

#endif
