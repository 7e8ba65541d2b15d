/* SPDX-License-Identifier: MIT */
/* One result of the same bench on several hosts. */
#ifndef BLKREEL_BENCH_MERGE_H
#define BLKREEL_BENCH_MERGE_H

#include "bench/measure.h"

struct bench_merged {
	char *plan;
	unsigned int results;
	struct bench_points points;
	struct bench_figures
		*figures; /* of each point: sums, and percentiles of all IOs together */
};

/*
 * Adds a result: results.json, or the folder that holds it. 0; -EINVAL with a sentence in `message`: it is no such
 * file, or of other points than the first; other errno.
 */
int bench_merged__add(struct bench_merged *merged, const char *path,
		      char message[BENCH_MESSAGE_MAX]);
void bench_merged__free(struct bench_merged *merged);

#endif
