/* SPDX-License-Identifier: MIT */
/* Counts what the closed loop of a profile needs while one is built. */
#ifndef BLKREEL_PROFILE_BUILD_CLOSED_H
#define BLKREEL_PROFILE_BUILD_CLOSED_H

#include "profile/profile.h"
#include "workload/dependence/waits.h"

struct closed_builder;

/* Phases and duration of the profile. 0 or -ENOMEM. */
int closed_builder__create(uint64_t duration_ns, uint32_t phases, struct closed_builder **builder);
void closed_builder__free(struct closed_builder *b); /* NULL is allowed */

/* The next IO, of the stream kind with that index. 0 or -ENOMEM. */
int closed_builder__add(struct closed_builder *b, const struct io_row *row, uint32_t stream_kind,
			const struct io_wait *waited);

/*
 * became[kind]: the kind that it was folded into; kind_of[stream]. Of the profile, `ios` and
 * `stream_count` are read. *closed is empty if too little is known.
 */
void closed_builder__finish(struct closed_builder *b, const uint32_t *became,
			    const uint32_t *kind_of, const struct profile *p,
			    struct profile_closed *closed);

/* A few figures that sum up the tasks of a kind: means; times in ns. */
struct closed_facts {
	double share;  /* IOs of these tasks, of all; 0 to 1 */
	double active; /* tasks at once */
	double window; /* IOs that a task keeps going, where it waits */
	double think_ns, cycle_ns;
};

void closed_facts(const struct profile *p, uint32_t kind, struct closed_facts *facts);

double closed_mean_depth(const struct profile_closed *c); /* at a submission; 0: not known */

double closed_mean_latency_ns(const struct profile *p, unsigned int closed_op); /* 0: not known */

#endif
