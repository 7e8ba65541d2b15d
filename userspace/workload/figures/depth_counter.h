/* SPDX-License-Identifier: MIT */
/* Counts the IOs in flight at each submission. */
#ifndef BLKREEL_WORKLOAD_FIGURES_DEPTH_COUNTER_H
#define BLKREEL_WORKLOAD_FIGURES_DEPTH_COUNTER_H

#include <stdint.h>

#define DEPTH_COUNTED_MAX 65536u /* with more in flight the earliest ends count as completed */

struct depth_counter;

int depth_counter__create(struct depth_counter **counter); /* 0 or -ENOMEM */
void depth_counter__free(struct depth_counter *c);	   /* NULL is allowed */

/*
 * Adds an IO, in order of `created_ns`; an IO that completes at that time counts as completed.
 * Returns the IOs in flight, including this one.
 */
uint32_t depth_counter__add(struct depth_counter *c, uint64_t created_ns, uint64_t completed_ns);

#endif
