/* SPDX-License-Identifier: MIT */
/* A few figures that sum up the closed loop of a profile. */
#ifndef BLKREEL_PROFILE_BUILD_CLOSED_FACTS_H
#define BLKREEL_PROFILE_BUILD_CLOSED_FACTS_H

#include "profile/profile.h"

/* Means; times in ns. */
struct closed_facts {
	double share;  /* IOs of these tasks, of all; 0 to 1 */
	double active; /* tasks at once */
	double window; /* IOs that a task keeps going, where it waits */
	double think_ns, cycle_ns;
};

void closed_facts(const struct profile *p, uint32_t kind, struct closed_facts *facts);

double closed_mean_depth(const struct profile_closed *c); /* at a submission; 0: not known */

/* Mean latency of an op that is known, weighed by nothing but sizes; 0: not known. */
double closed_mean_latency_ns(const struct profile_closed *c, unsigned int closed_op);

#endif
