/* SPDX-License-Identifier: MIT */
/*
 * How many IOs the sequential runs of one operation have. An IO continues a run if it begins where
 * one of the RUN_LENGTHS_OPEN most recent runs ends.
 */
#ifndef BLKREEL_WORKLOAD_FIGURES_RUN_LENGTHS_H
#define BLKREEL_WORKLOAD_FIGURES_RUN_LENGTHS_H

#include <stdint.h>

#include "base/histogram.h"

#define RUN_LENGTHS_OPEN 32

/* Zero-filled is empty. */
struct run_lengths {
	unsigned int count;
	struct {
		uint64_t end, ios;
	} open[RUN_LENGTHS_OPEN]; /* most recent first */
};

/* Adds an IO. A run that ended is added to `lengths`, once for each of its IOs. */
void run_lengths_add(struct run_lengths *r, uint64_t sector, uint64_t bytes,
		     struct histogram *lengths);

/* Adds the runs that are open, and forgets them. */
void run_lengths_end(struct run_lengths *r, struct histogram *lengths);

#endif
