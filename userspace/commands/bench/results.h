/* SPDX-License-Identifier: MIT */
/* Prints the results of a bench, and writes the files of its folder. */
#ifndef BLKREEL_COMMANDS_BENCH_RESULTS_H
#define BLKREEL_COMMANDS_BENCH_RESULTS_H

#include "render/bench/bench.h"

/* Fills in kernel, CPU, and the model of the target. */
void cmd_bench_describe(struct bench_results *results);

/* `folder` NULL: prints only. An exit code, after one message. */
int cmd_bench_results(const struct bench_results *results, bool json, const char *folder);

#endif
