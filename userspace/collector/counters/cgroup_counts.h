/* SPDX-License-Identifier: MIT */
/* The counts of the counting probes by cgroup, disk and operation, since the start; all series of a
 * disk and operation together are the figures of the disk. */
#ifndef BLKREEL_COLLECTOR_COUNTERS_CGROUP_COUNTS_H
#define BLKREEL_COLLECTOR_COUNTERS_CGROUP_COUNTS_H

#include "collector/counters/cgroup_series.h"
#include "collector/counters/counting_probes.h"

struct cgroup_counts;

/* `places` must outlive the counts. 0 or -ENOMEM. */
int cgroup_counts__create(struct counting_probes *probes, struct cgroup_places *places,
			  struct cgroup_counts **counts);
void cgroup_counts__free(struct cgroup_counts *c); /* NULL is allowed */

/* Reads the counts and gives up the entries of cgroups that are gone. `now_ns` is CLOCK_MONOTONIC.
 * 0 or negative errno. */
int cgroup_counts__read(struct cgroup_counts *c, uint64_t now_ns);

/* Whether there are new keys, which cost the probes less once they have been read. */
bool cgroup_counts__has_new(const struct cgroup_counts *c);

/* The series as last read: key.number is major << 20 | minor, sums are a struct tally_cgroup. */
const struct cgroup_series *cgroup_counts__series(const struct cgroup_counts *c, size_t *count);

/* See cgroup_table__answered(). */
int cgroup_counts__answered(struct cgroup_counts *c);

/* IOs since the start for which the kernel's table had no room. */
uint64_t cgroup_counts__no_room_ios(const struct cgroup_counts *c);

#endif
