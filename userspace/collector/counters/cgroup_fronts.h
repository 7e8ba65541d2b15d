/* SPDX-License-Identifier: MIT */
/* Which keys of the counts by cgroup have a front (see struct tally_front), and the sums there. */
#ifndef BLKREEL_COLLECTOR_COUNTERS_CGROUP_FRONTS_H
#define BLKREEL_COLLECTOR_COUNTERS_CGROUP_FRONTS_H

#include <stdint.h>

#include "bpf/tally.h"

struct cgroup_fronts;

/* `fronts` are TALLY_FRONTS, `sums` have so many shards for each of them; both are shared with the
 * probes, free and zero, and outlive the result. 0 or -ENOMEM. */
int cgroup_fronts__create(struct tally_front *fronts, struct tally_cgroup *sums,
			  unsigned int shards, struct cgroup_fronts **result);
void cgroup_fronts__free(struct cgroup_fronts *f); /* NULL is allowed */

/* The shards of the key's front; NULL: it has none. */
const struct tally_cgroup *cgroup_fronts__sums(const struct cgroup_fronts *f,
					       const struct tally_cgroup_key *key);

/* From now on the probes add to a front of the key's own, unless it has one or no place is free.
 * `now_ns` is CLOCK_MONOTONIC. */
void cgroup_fronts__give(struct cgroup_fronts *f, const struct tally_cgroup_key *key,
			 uint64_t now_ns);

/* The probes stop to add to the key's front. Its place is free a second later, when no probe can
 * still be adding. */
void cgroup_fronts__take(struct cgroup_fronts *f, const struct tally_cgroup_key *key,
			 uint64_t now_ns);

#endif
