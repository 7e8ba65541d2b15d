/* SPDX-License-Identifier: MIT */
/* The workload of a point, as a profile. */
#ifndef BLKREEL_BENCH_WORKLOAD_H
#define BLKREEL_BENCH_WORKLOAD_H

#include "bench/points.h"

#define BENCH_FILL_TIMES 2 /* a target is written before a test of the SNIA */

/*
 * A file in memory with the profile, to be closed; -1: the point has a source. 0, or EXIT_FAILED
 * after a message.
 */
int bench_workload(const struct bench_point *point, uint64_t target_bytes, int *fd);

#endif
