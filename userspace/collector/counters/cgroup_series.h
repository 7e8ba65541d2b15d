/* SPDX-License-Identifier: MIT */
/*
 * Running sums by cgroup, for output in which a sum never falls: each cgroup that is shown has a
 * series of its own, and all others are together in one "other" for each number and op, with what a
 * cgroup counted before it was shown. The series of a cgroup that is gone ends; what it counted
 * after the last answer is in "other". So each increase is in one series.
 */
#ifndef BLKREEL_COLLECTOR_COUNTERS_CGROUP_SERIES_H
#define BLKREEL_COLLECTOR_COUNTERS_CGROUP_SERIES_H

#include <stdbool.h>
#include <stddef.h>

#include "bpf/tally.h"
#include "collector/counters/cgroup_places.h"

#define CGROUP_WORDS_MAX (sizeof(struct tally_cgroup) / sizeof(__u64))

struct cgroup_series {
	const struct cgroup_place *place; /* NULL: other */
	struct tally_cgroup_key key;
	__u64 sums[CGROUP_WORDS_MAX];
};

struct cgroup_table;

/* For series of `words` sums; `places` must outlive the table. 0 or -ENOMEM. */
int cgroup_table__create(struct cgroup_places *places, unsigned int words,
			 struct cgroup_table **table);
void cgroup_table__free(struct cgroup_table *t); /* NULL is allowed */

/*
 * A round: begin, one call for each entry of the kernel's table, end. No sum of an entry is less than
 * in the round before. The second returns 1 if the
 * cgroup of the entry is gone: the caller removes the entry, which must not be offered again. 0 or
 * negative errno.
 */
void cgroup_table__begin(struct cgroup_table *t, uint64_t now_ns);
int cgroup_table__add(struct cgroup_table *t, const struct tally_cgroup_key *key,
		      const __u64 *sums);
int cgroup_table__end(struct cgroup_table *t);

/* The series of the last round, those of a cgroup side by side; *count receives their number. */
const struct cgroup_series *cgroup_table__series(const struct cgroup_table *t, size_t *count);

/* The series of the last round were given to a reader: readers are not told apart. There may be
 * rounds without a reader. 0 or -ENOMEM. */
int cgroup_table__answered(struct cgroup_table *t);

#endif
