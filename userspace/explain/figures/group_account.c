// SPDX-License-Identifier: MIT
#include "explain/figures/group_account.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "explain/figures/device_account.h"

/* Latency per group: eight steps per power of two (an error below 7 %) from 1 us to 18 min. */
#define SKETCH_STEP_BITS 3
#define SKETCH_MIN_BITS	 10
#define SKETCH_OCTAVES	 30
#define SKETCH_BUCKETS	 ((SKETCH_OCTAVES << SKETCH_STEP_BITS) + 2)

struct sketch {
	uint64_t count, min_ns, max_ns;
	uint32_t buckets[SKETCH_BUCKETS];
};

struct group_account {
	uint32_t id;
	struct explain_group group;
	struct sketch latency;
	UT_hash_handle hh;
};

struct group_accounts {
	struct group_account *by_id;
	uint32_t count;
	struct group_account others;
};

struct group_accounts *group_accounts__new(void)
{
	return calloc(1, sizeof(struct group_accounts));
}

void group_accounts__free(struct group_accounts *g)
{
	struct group_account *account, *next;

	if (!g)
		return;
	HASH_ITER (hh, g->by_id, account, next) {
		HASH_DEL(g->by_id, account);
		free(account->group.name);
		free(account);
	}
	free(g);
}

static int add_copy(struct group_accounts *g, const struct group_account *from)
{
	struct group_account *copy = malloc(sizeof(*copy));

	if (!copy)
		return -ENOMEM;
	*copy = *from;
	HASH_ADD(hh, g->by_id, id, sizeof(copy->id), copy);
	g->count++;
	return 0;
}

struct group_accounts *group_accounts__copy(const struct group_accounts *g)
{
	struct group_accounts *copies = group_accounts__new();

	if (!copies)
		return NULL;
	copies->others = g->others;
	for (struct group_account *from = g->by_id; from; from = from->hh.next) {
		if (add_copy(copies, from)) {
			group_accounts__free(copies);
			return NULL;
		}
	}
	return copies;
}

bool group_accounts__is_late(const struct group_accounts *g, uint32_t id)
{
	struct group_account *account;

	if (g->count < GROUP_ACCOUNTS_MAX)
		return false;
	HASH_FIND(hh, g->by_id, &id, sizeof(id), account);
	return !account;
}

uint32_t group_accounts__ids(const struct group_accounts *g, uint32_t *ids)
{
	uint32_t count = 0;

	for (const struct group_account *account = g->by_id; account; account = account->hh.next)
		ids[count++] = account->id;
	return count;
}

int group_accounts__take_others(struct group_accounts *g, const struct group_accounts *others)
{
	g->others = others->others;
	for (struct group_account *from = others->by_id; from; from = from->hh.next)
		if (add_copy(g, from))
			return -ENOMEM;
	return 0;
}

static unsigned int sketch_bucket(uint64_t value_ns)
{
	unsigned int bits, bucket;

	if (value_ns < 1u << SKETCH_MIN_BITS)
		return 0;
	bits = 63u - (unsigned int)__builtin_clzll(value_ns);
	bucket = ((bits - SKETCH_MIN_BITS) << SKETCH_STEP_BITS) + 1 +
		 ((unsigned int)(value_ns >> (bits - SKETCH_STEP_BITS)) &
		  ((1u << SKETCH_STEP_BITS) - 1));
	return bucket < SKETCH_BUCKETS ? bucket : SKETCH_BUCKETS - 1;
}

static uint64_t sketch_value(unsigned int bucket)
{
	unsigned int shift, step;

	if (!bucket)
		return 1u << (SKETCH_MIN_BITS - 1);
	shift = SKETCH_MIN_BITS - SKETCH_STEP_BITS + ((bucket - 1) >> SKETCH_STEP_BITS);
	step = (bucket - 1) & ((1u << SKETCH_STEP_BITS) - 1);
	return (((uint64_t)(1u << SKETCH_STEP_BITS) + step) << shift) + ((1ull << shift) >> 1);
}

static void sketch_add(struct sketch *s, uint64_t value_ns)
{
	if (!s->count++ || value_ns < s->min_ns)
		s->min_ns = value_ns;
	if (value_ns > s->max_ns)
		s->max_ns = value_ns;
	s->buckets[sketch_bucket(value_ns)]++;
}

static void sketch_merge(struct sketch *into, const struct sketch *from)
{
	if (!from->count)
		return;
	if (!into->count || from->min_ns < into->min_ns)
		into->min_ns = from->min_ns;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
	into->count += from->count;
	for (unsigned int i = 0; i < SKETCH_BUCKETS; i++)
		into->buckets[i] += from->buckets[i];
}

static uint64_t sketch_percentile(const struct sketch *s, unsigned int pct)
{
	uint64_t rank = s->count / 100 * pct + (s->count % 100 * pct + 99) / 100;
	uint64_t seen = 0, value_ns;

	if (!s->count)
		return 0;
	if (rank <= 1)
		return s->min_ns;
	if (rank >= s->count)
		return s->max_ns;
	for (unsigned int i = 0; i < SKETCH_BUCKETS; i++) {
		seen += s->buckets[i];
		if (seen < rank)
			continue;
		value_ns = sketch_value(i);
		if (value_ns < s->min_ns)
			return s->min_ns;
		return value_ns > s->max_ns ? s->max_ns : value_ns;
	}
	return s->max_ns;
}

static int account_of(struct group_accounts *g, uint32_t id, struct group_account **found)
{
	struct group_account *account;

	HASH_FIND(hh, g->by_id, &id, sizeof(id), account);
	if (!account && g->count >= GROUP_ACCOUNTS_MAX) {
		*found = &g->others;
		return 0;
	}
	if (!account) {
		account = calloc(1, sizeof(*account));
		if (!account)
			return -ENOMEM;
		account->id = id;
		account->group.id = id;
		HASH_ADD(hh, g->by_id, id, sizeof(account->id), account);
		g->count++;
	}
	*found = account;
	return 0;
}

int group_accounts__add_io(struct group_accounts *g, uint32_t id, const struct io_row *row)
{
	struct group_account *account;
	struct explain_group *group;
	uint64_t total_ns;
	int err;

	err = account_of(g, id, &account);
	if (err)
		return err;
	group = &account->group;
	group->ios++;
	group->bytes += row->bytes;
	switch (explain_column(row)) {
	case TICK_READ:
		group->read_ios++;
		group->read_bytes += row->bytes;
		break;
	case TICK_WRITE:
		group->write_ios++;
		group->write_bytes += row->bytes;
		break;
	default:
		group->other_ios++;
	}
	if (explain_total_ns(row, &total_ns)) {
		group->latency_sum_ns += total_ns;
		sketch_add(&account->latency, total_ns);
	}
	return 0;
}

int group_accounts__add_cache(struct group_accounts *g, uint32_t id, const struct cache_row *row)
{
	struct group_account *account;
	int err;

	err = account_of(g, id, &account);
	if (err)
		return err;
	account->group.cache_read_pages += row->read_pages;
	account->group.cache_miss_pages += row->demand_miss_pages;
	account->group.cache_fetched_pages += row->demand_miss_pages + row->readahead_added_pages;
	account->group.cache_dirtied_pages += row->dirtied_pages;
	account->group.waits += row->waits;
	account->group.wait_ns += row->wait_ns;
	account->group.written_pages += row->written_pages;
	account->group.overwritten_pages += row->overwritten_pages;
	account->group.evicted_pages += row->evicted_pages;
	account->group.direct_read_bytes += row->direct_read_bytes;
	account->group.direct_write_bytes += row->direct_write_bytes;
	account->group.throttles += row->throttles;
	account->group.throttle_ns += row->throttle_ns;
	return 0;
}

static void sum_into(struct explain_group *into, const struct explain_group *from)
{
	into->ios += from->ios;
	into->bytes += from->bytes;
	into->read_ios += from->read_ios;
	into->read_bytes += from->read_bytes;
	into->write_ios += from->write_ios;
	into->write_bytes += from->write_bytes;
	into->other_ios += from->other_ios;
	into->latency_sum_ns += from->latency_sum_ns;
	into->cache_read_pages += from->cache_read_pages;
	into->cache_miss_pages += from->cache_miss_pages;
	into->cache_fetched_pages += from->cache_fetched_pages;
	into->cache_dirtied_pages += from->cache_dirtied_pages;
	into->waits += from->waits;
	into->wait_ns += from->wait_ns;
	into->written_pages += from->written_pages;
	into->overwritten_pages += from->overwritten_pages;
	into->evicted_pages += from->evicted_pages;
	into->direct_read_bytes += from->direct_read_bytes;
	into->direct_write_bytes += from->direct_write_bytes;
	into->throttles += from->throttles;
	into->throttle_ns += from->throttle_ns;
}

static void complete(struct explain_group *group, const struct sketch *latency)
{
	group->latency_p50_ns = sketch_percentile(latency, 50);
	group->latency_p99_ns = sketch_percentile(latency, 99);
	group->cache_hit_pages = group->cache_read_pages > group->cache_miss_pages
					 ? group->cache_read_pages - group->cache_miss_pages
					 : 0;
}

static int by_name(const void *a, const void *b)
{
	const struct group_account *x = *(struct group_account *const *)a;
	const struct group_account *y = *(struct group_account *const *)b;

	if (x->group.tgid != y->group.tgid)
		return x->group.tgid < y->group.tgid ? -1 : 1;
	if (strcmp(x->group.name, y->group.name))
		return strcmp(x->group.name, y->group.name);
	return x->id < y->id ? -1 : x->id > y->id;
}

static int compare_falling(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

static int by_time(const void *a, const void *b)
{
	const struct explain_group *x = &(*(struct group_account *const *)a)->group;
	const struct explain_group *y = &(*(struct group_account *const *)b)->group;
	int order = compare_falling(x->latency_sum_ns, y->latency_sum_ns);

	if (!order)
		order = compare_falling(x->bytes, y->bytes);
	if (!order)
		order = compare_falling(x->cache_read_pages, y->cache_read_pages);
	return order ? order : (x->id < y->id ? -1 : x->id > y->id);
}

/* Threads of one process with one name become one group; returns how many groups are left. */
static uint32_t unite(struct group_account **sorted, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 1; i < count; i++) {
		struct group_account *last = sorted[kept];

		if (last->group.tgid != sorted[i]->group.tgid ||
		    strcmp(last->group.name, sorted[i]->group.name)) {
			sorted[++kept] = sorted[i];
			continue;
		}
		sum_into(&last->group, &sorted[i]->group);
		sketch_merge(&last->latency, &sorted[i]->latency);
	}
	return count ? kept + 1 : 0;
}

static int hand_over(struct group_accounts *g, struct group_account **sorted, uint32_t count,
		     struct explain_groups *result)
{
	uint32_t listed = count < EXPLAIN_GROUPS_MAX ? count : EXPLAIN_GROUPS_MAX;

	if (listed) {
		result->list = calloc(listed, sizeof(*result->list));
		if (!result->list)
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < listed; i++) {
		complete(&sorted[i]->group, &sorted[i]->latency);
		result->list[i] = sorted[i]->group;
		sorted[i]->group.name = NULL;
	}
	result->count = listed;
	result->others_count = count - listed;
	for (uint32_t i = listed; i < count; i++) {
		sum_into(&g->others.group, &sorted[i]->group);
		sketch_merge(&g->others.latency, &sorted[i]->latency);
	}
	complete(&g->others.group, &g->others.latency);
	result->others = g->others.group;
	return 0;
}

static int finish(struct group_accounts *g, group_namer *name, bool across_processes,
		  const void *context, struct explain_groups *result)
{
	struct group_account **sorted, *account, *next;
	uint32_t count = 0;
	int err = 0;

	memset(result, 0, sizeof(*result));
	sorted = calloc(g->count + 1, sizeof(struct group_account *));
	if (!sorted)
		return -ENOMEM;
	HASH_ITER (hh, g->by_id, account, next) {
		err = name(context, &account->group);
		if (err)
			goto out;
		if (across_processes)
			account->group.tgid = 0;
		sorted[count++] = account;
	}
	qsort(sorted, count, sizeof(struct group_account *), by_name);
	count = unite(sorted, count);
	qsort(sorted, count, sizeof(struct group_account *), by_time);
	err = hand_over(g, sorted, count, result);
out:
	free(sorted);
	return err;
}

int group_accounts__finish(struct group_accounts *g, group_namer *name, const void *context,
			   struct explain_groups *result)
{
	return finish(g, name, false, context, result);
}

int group_accounts__finish_by_name(struct group_accounts *g, group_namer *name, const void *context,
				   struct explain_groups *result)
{
	return finish(g, name, true, context, result);
}
