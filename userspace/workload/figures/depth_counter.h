/* SPDX-License-Identifier: MIT */
/* How many IOs are in flight when one is submitted. */
#ifndef BLKREEL_WORKLOAD_FIGURES_DEPTH_COUNTER_H
#define BLKREEL_WORKLOAD_FIGURES_DEPTH_COUNTER_H

#include <stdint.h>

#define DEPTH_COUNTED_MAX 65536u /* more at once are taken as completed */

struct depth_counter;

int depth_counter__create(struct depth_counter **counter); /* 0 or -ENOMEM */
void depth_counter__free(struct depth_counter *c);	   /* NULL is allowed */

/* By rising `created_ns`; what ends then has ended. The number with this one. */
uint32_t depth_counter__add(struct depth_counter *c, uint64_t created_ns, uint64_t completed_ns);

#endif
