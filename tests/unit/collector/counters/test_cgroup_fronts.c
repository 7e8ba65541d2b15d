// SPDX-License-Identifier: MIT
/* Fronts of keys, found as the probes find them. */
#include "base/units.h"
#include "collector/counters/cgroup_fronts.h"
#include "unit/shared/test.h"

#define SHARDS 2
#define ID(n)  ((n) << 32 | (100 + (n))) /* of a cgroup, as kernfs makes them: generation, inode */

static struct tally_front fronts[TALLY_FRONTS];
static struct tally_cgroup sums[TALLY_FRONTS * SHARDS];
static struct cgroup_fronts *f;

static void start(void)
{
	memset(fronts, 0, sizeof(fronts));
	memset(sums, 0, sizeof(sums));
	if (cgroup_fronts__create(fronts, sums, SHARDS, &f))
		abort();
}

static struct tally_cgroup_key key_of(uint64_t cgroup, uint32_t number, uint32_t op)
{
	return (struct tally_cgroup_key){.cgroup = cgroup, .number = number, .op = op};
}

static struct tally_cgroup *given(const struct tally_cgroup_key *key, uint64_t now_ns)
{
	cgroup_fronts__give(f, key, now_ns);
	return (struct tally_cgroup *)cgroup_fronts__sums(f, key);
}

static void each_key_has_a_front_of_its_own(void)
{
	struct tally_cgroup *seen[3 * TALLY_OP_COUNT];
	unsigned int count = 0;

	start();
	for (uint64_t cgroup = 0; cgroup < 3; cgroup++)
		for (uint32_t op = 0; op < TALLY_OP_COUNT; op++) {
			const struct tally_cgroup_key key = key_of(cgroup, 8u << 20 | 16, op);

			CHECK(!cgroup_fronts__sums(f, &key));
			seen[count] = given(&key, 1);
			CHECK(seen[count] != NULL);
			CHECK(given(&key, 1) == seen[count]);
			for (unsigned int i = 0; i < count; i++)
				CHECK(seen[i] != seen[count]);
			count++;
		}
	cgroup_fronts__free(f);
}

/* Fills the set of a key with others. */
static void fill_set(const struct tally_cgroup_key *key, struct tally_cgroup_key *others)
{
	uint32_t set = TALLY_FRONT_SET(key->cgroup, TALLY_DISK_OP(key->number, key->op));
	unsigned int count = 0;

	for (uint64_t n = 1; count < TALLY_FRONT_WAYS; n++) {
		const struct tally_cgroup_key other = key_of(ID(n), key->number, key->op);

		if (TALLY_FRONT_SET(other.cgroup, TALLY_DISK_OP(other.number, other.op)) != set)
			continue;
		others[count++] = other;
		CHECK(given(&other, 1) != NULL);
	}
}

static void a_place_is_free_again_after_a_second(void)
{
	const struct tally_cgroup_key key = key_of(7, 259u << 20, TALLY_WRITE);
	struct tally_cgroup_key others[TALLY_FRONT_WAYS];
	struct tally_cgroup *shards;

	start();
	fill_set(&key, others);
	CHECK(!given(&key, 1));
	shards = given(&others[2], 1);
	shards[0].ios = shards[1].bytes = 12;
	cgroup_fronts__take(f, &others[2], 10);
	CHECK(!cgroup_fronts__sums(f, &others[2]));
	CHECK(!given(&key, 10));
	CHECK(!given(&key, 9 + NSEC_PER_SEC));
	CHECK(given(&key, 10 + NSEC_PER_SEC) == shards);
	CHECK_EQ(shards[0].ios, 0);
	CHECK_EQ(shards[1].bytes, 0);
	/* Nothing happens to a key that has none. */
	cgroup_fronts__take(f, &others[2], 10);
	CHECK(cgroup_fronts__sums(f, &key) == shards);
	CHECK(cgroup_fronts__sums(f, &others[3]) != NULL);
	cgroup_fronts__free(f);
}

static void nine_of_ten_have_one_when_there_are_half_as_many(void)
{
	unsigned int count = 0;

	start();
	for (uint64_t n = 0; n < TALLY_FRONTS / 4; n++)
		for (uint32_t op = 0; op < 2; op++) {
			const struct tally_cgroup_key key = key_of(ID(n), 7u << 20 | 8, op);

			count += given(&key, 1) != NULL;
		}
	CHECK(count > TALLY_FRONTS / 2 * 9 / 10);
	cgroup_fronts__free(f);
}

int main(void)
{
	RUN(each_key_has_a_front_of_its_own);
	RUN(a_place_is_free_again_after_a_second);
	RUN(nine_of_ten_have_one_when_there_are_half_as_many);
	return TEST_RESULT;
}
