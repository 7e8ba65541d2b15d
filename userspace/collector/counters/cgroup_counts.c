// SPDX-License-Identifier: MIT
#include "collector/counters/cgroup_counts.h"

#include <errno.h>
#include <stdlib.h>

#include <bpf/bpf.h>

#include "collector/counters/cgroup_fronts.h"

#define BATCH 256

struct cgroup_counts {
	struct counting_probes *probes;
	struct cgroup_table *table;
	struct cgroup_fronts *fronts;
	int map;
	unsigned int shards;
	struct tally_cgroup_key *keys;
	struct tally_cgroup *values; /* `shards` for each key */
	uint64_t no_room_ios, now_ns;
	uint32_t added; /* as of the last reading */
};

int cgroup_counts__create(struct counting_probes *probes, struct cgroup_places *places,
			  struct cgroup_counts **counts)
{
	struct cgroup_counts *c = calloc(1, sizeof(*c));
	int err = c ? cgroup_table__create(places, CGROUP_WORDS_MAX, &c->table) : -ENOMEM;

	if (!err) {
		c->probes = probes;
		c->map = counting_probes__cgroup_map(probes);
		c->shards = counting_probes__cgroup_shards(probes);
		c->keys = calloc(BATCH, sizeof(*c->keys));
		c->values = calloc(BATCH, c->shards * sizeof(*c->values));
		if (!c->keys || !c->values)
			err = -ENOMEM;
		else
			err = cgroup_fronts__create(counting_probes__fronts(probes),
						    counting_probes__front_sums(probes), c->shards,
						    &c->fronts);
	}
	if (err)
		cgroup_counts__free(c);
	else
		*counts = c;
	return err;
}

void cgroup_counts__free(struct cgroup_counts *c)
{
	if (!c)
		return;
	cgroup_table__free(c->table);
	cgroup_fronts__free(c->fronts);
	free(c->keys);
	free(c->values);
	free(c);
}

static void add_sums(__u64 *sums, const struct tally_cgroup *shard)
{
	const __u64 *more = (const __u64 *)shard;

	for (unsigned int i = 0; i < CGROUP_WORDS_MAX; i++)
		sums[i] += more[i];
}

/* All of the key, in the first of its shards. */
static void add_up(const struct cgroup_counts *c, const struct tally_cgroup_key *key,
		   struct tally_cgroup *shards)
{
	const struct tally_cgroup *front = cgroup_fronts__sums(c->fronts, key);

	for (unsigned int shard = 1; shard < c->shards; shard++)
		add_sums((__u64 *)shards, &shards[shard]);
	for (unsigned int shard = 0; front && shard < c->shards; shard++)
		add_sums((__u64 *)shards, &front[shard]);
}

static int add(struct cgroup_counts *c, const struct tally_cgroup_key *key,
	       struct tally_cgroup *shards)
{
	int result;

	add_up(c, key, shards);
	c->no_room_ios += shards->no_room;
	result = cgroup_table__add(c->table, key, (const __u64 *)shards);
	if (!result)
		cgroup_fronts__give(c->fronts, key, c->now_ns);
	if (result != 1)
		return result;
	cgroup_fronts__take(c->fronts, key, c->now_ns);
	return bpf_map_delete_elem(c->map, key) && errno != ENOENT ? -errno : 0;
}

/* Deleting meanwhile does not disturb the walk, which goes from bucket to bucket of the kernel's
 * table. */
static int read_map(struct cgroup_counts *c)
{
	bool first = true, end = false;
	uint32_t at, count;
	int err = 0;

	while (!end && !err) {
		count = BATCH;
		if (bpf_map_lookup_batch(c->map, first ? NULL : &at, &at, c->keys, c->values,
					 &count, NULL)) {
			if (errno != ENOENT)
				return -errno;
			end = true;
		}
		first = false;
		for (uint32_t i = 0; i < count && !err; i++)
			err = add(c, &c->keys[i], &c->values[i * c->shards]);
	}
	return err;
}

int cgroup_counts__read(struct cgroup_counts *c, uint64_t now_ns)
{
	int err;

	c->no_room_ios = 0;
	c->now_ns = now_ns;
	c->added = counting_probes__cgroups_added(c->probes);
	cgroup_table__begin(c->table, now_ns);
	err = read_map(c);
	return err ? err : cgroup_table__end(c->table);
}

bool cgroup_counts__has_new(const struct cgroup_counts *c)
{
	return counting_probes__cgroups_added(c->probes) != c->added;
}

const struct cgroup_series *cgroup_counts__series(const struct cgroup_counts *c, size_t *count)
{
	return cgroup_table__series(c->table, count);
}

int cgroup_counts__answered(struct cgroup_counts *c)
{
	return cgroup_table__answered(c->table);
}

uint64_t cgroup_counts__no_room_ios(const struct cgroup_counts *c)
{
	return c->no_room_ios;
}
