/* SPDX-License-Identifier: MIT */
/* How many IOs are in flight when one is submitted. */
#ifndef BLKREEL_WORKLOAD_FIGURES_DEPTH_COUNTER_H
#define BLKREEL_WORKLOAD_FIGURES_DEPTH_COUNTER_H

#include <stdint.h>

#define IN_FLIGHT_COUNTED 65536u /* more at once are taken as completed */

struct in_flight_counter;

int in_flight_counter__create(struct in_flight_counter **counter); /* 0 or -ENOMEM */
void in_flight_counter__free(struct in_flight_counter *c);	   /* NULL is allowed */

/* By rising `created_ns`; what ends then has ended. The number with this one. */
uint32_t in_flight_counter__add(struct in_flight_counter *c, uint64_t created_ns,
				uint64_t completed_ns);

#endif
