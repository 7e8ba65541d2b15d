/* SPDX-License-Identifier: MIT */
/*
 * The sides of a comparison on the command line: "A B", "BASE C1 C2 ...", or with several runs each
 * "A1 A2 -- B1 B2 [-- C1 ...]".
 */
#ifndef BLKREEL_COMMANDS_COMPARE_SIDES_H
#define BLKREEL_COMMANDS_COMPARE_SIDES_H

#include "commands/shared/workload_input.h"
#include "compare/repetitions.h"
#include "render/compare/runs.h"

#define SIDES_MAX 33 /* a base and 32 candidates */

struct side {
	char **paths; /* set.count of them */
	struct run_set set;
	struct run_names names;
	struct workload_input inputs[RUNS_MAX];
	struct left_out
		*left_out; /* what does not count in its traces; not owned; NULL: all counts */
};

struct sides {
	struct side *list; /* the first is the base */
	unsigned int count;
};

/* How many arguments stand behind the first "--". To be called before getopt_long() moves it. */
int sides__behind_separator(int argc, char **argv);

/*
 * Splits the operands argv[first] to the last; `behind` of them stand behind the first "--".
 * 0; -EINVAL and `message`: not such a list; -ENOMEM. sides__close() frees in any case.
 */
int sides__split(struct sides *sides, int argc, char **argv, int first, int behind,
		 const char **message);

/*
 * Opens and measures all runs of a side; a message is printed when that fails. `device` NULL: the
 * one with the most IOs; `option` is how a user chooses another. Exit code.
 */
int side__open(struct side *side, const char *device, const char *option, bool allow_profile);

/* For progress_start(): of opening and measuring all of them. */
double sides__work(const struct sides *sides);

/* The end of a file of a run is missing. */
bool sides__are_torn(const struct sides *sides);

void sides__close(struct sides *sides);

#endif
