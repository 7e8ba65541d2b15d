// SPDX-License-Identifier: MIT
#include "collector/counters/cgroup_fronts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

struct cgroup_fronts {
	struct tally_front *fronts;
	struct tally_cgroup *sums;
	unsigned int shards;
	uint64_t free_from_ns[TALLY_FRONTS];
};

int cgroup_fronts__create(struct tally_front *fronts, struct tally_cgroup *sums,
			  unsigned int shards, struct cgroup_fronts **result)
{
	struct cgroup_fronts *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->fronts = fronts;
	f->sums = sums;
	f->shards = shards;
	*result = f;
	return 0;
}

void cgroup_fronts__free(struct cgroup_fronts *f)
{
	free(f);
}

/* TALLY_FRONTS: none. */
static unsigned int find(const struct cgroup_fronts *f, const struct tally_cgroup_key *key)
{
	__u64 disk_op = TALLY_DISK_OP(key->number, key->op);
	unsigned int at = TALLY_FRONT_SET(key->cgroup, disk_op);

	for (unsigned int end = at + TALLY_FRONT_WAYS; at < end; at++)
		if (f->fronts[at].disk_op == disk_op && f->fronts[at].cgroup == key->cgroup)
			return at;
	return TALLY_FRONTS;
}

static struct tally_cgroup *shards_of(const struct cgroup_fronts *f, unsigned int at)
{
	return f->sums + (size_t)at * f->shards;
}

const struct tally_cgroup *cgroup_fronts__sums(const struct cgroup_fronts *f,
					       const struct tally_cgroup_key *key)
{
	unsigned int at = find(f, key);

	return at < TALLY_FRONTS ? shards_of(f, at) : NULL;
}

void cgroup_fronts__give(struct cgroup_fronts *f, const struct tally_cgroup_key *key,
			 uint64_t now_ns)
{
	__u64 disk_op = TALLY_DISK_OP(key->number, key->op);
	unsigned int at = TALLY_FRONT_SET(key->cgroup, disk_op), end = at + TALLY_FRONT_WAYS;

	if (find(f, key) < TALLY_FRONTS)
		return;
	while (at < end && (f->fronts[at].disk_op || now_ns < f->free_from_ns[at]))
		at++;
	if (at == end)
		return;
	memset(shards_of(f, at), 0, f->shards * sizeof(*f->sums));
	f->fronts[at].cgroup = key->cgroup;
	__atomic_store_n(&f->fronts[at].disk_op, disk_op, __ATOMIC_SEQ_CST);
}

void cgroup_fronts__take(struct cgroup_fronts *f, const struct tally_cgroup_key *key,
			 uint64_t now_ns)
{
	unsigned int at = find(f, key);

	if (at == TALLY_FRONTS)
		return;
	__atomic_store_n(&f->fronts[at].disk_op, 0, __ATOMIC_SEQ_CST);
	f->free_from_ns[at] = now_ns + NSEC_PER_SEC;
}
