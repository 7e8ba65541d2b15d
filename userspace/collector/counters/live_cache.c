// SPDX-License-Identifier: MIT
#include "collector/counters/live_cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uthash.h>

#include "base/clock.h"
#include "base/units.h"
#include "collector/kernel/capabilities.h"
#include "collector/probes/probes.h"

#define RING_BYTES 65536 /* no records are sent, but a ring must exist */

/* The highest sums of an account, which the table must not see fall. */
struct peak {
	struct account_key key;
	__u64 sums[LIVE_CACHE_SUMS];
	UT_hash_handle hh;
};

struct live_cache_account {
	struct probes *probes;
	uint64_t scale; /* pages of 4 KiB per kernel page */
	bool has_reads, has_misses;
	struct live_cache last;	    /* totals at the last read */
	struct cgroup_table *table; /* NULL: not by cgroup */
	struct live_cache gone;	    /* of accounts that were removed */
	struct peak *peaks;	    /* with `table` */
};

int live_cache__create(const struct device_choice *devices, unsigned int device_count,
		       struct cgroup_table *table, struct live_cache_account **account,
		       char message[COLLECTOR_MESSAGE_MAX])
{
	struct probes_options options = {.devices = devices,
					 .device_count = device_count,
					 .parts = PROBE_CACHE,
					 .cache_totals = table ? CACHE_OF_CGROUPS : CACHE_OF_CPUS,
					 .ring_bytes = RING_BYTES};
	struct live_cache_account *a = calloc(1, sizeof(*a));
	int err;

	if (!a)
		return -ENOMEM;
	err = probes__load(&options, &a->probes, message);
	if (!err)
		err = probes__attach(a->probes, message);
	if (err) {
		live_cache__free(a);
		return err;
	}
	a->table = table;
	a->scale = (uint64_t)sysconf(_SC_PAGESIZE) / PAGE_BYTES;
	a->has_reads = capabilities__can_tell("cache_reads", PROBE_CACHE, NULL);
	a->has_misses = capabilities__can_tell("cache_demand_misses", PROBE_CACHE, NULL);
	probes__resume(a->probes);
	*account = a;
	return 0;
}

void live_cache__free(struct live_cache_account *a)
{
	struct peak *peak, *next;

	if (!a)
		return;
	HASH_ITER (hh, a->peaks, peak, next) {
		HASH_DEL(a->peaks, peak);
		free(peak);
	}
	probes__free(a->probes);
	free(a);
}

void live_cache__missing(unsigned int *count, struct live_missing missing[LIVE_MISSING_MAX])
{
	static const struct {
		const char *tier, *figures;
	} known[] = {
		{"cache_reads", "page-cache hits"},
		{"cache_demand_misses", "demand misses and readahead"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const char *why;

		if (capabilities__can_tell(known[i].tier, PROBE_CACHE, &why) ||
		    *count == LIVE_MISSING_MAX)
			continue;
		missing[*count].figures = known[i].figures;
		snprintf(missing[(*count)++].why, COLLECTOR_MESSAGE_MAX, "%s", why);
	}
}

static void add_account(const struct account *account, struct live_cache *sum)
{
	sum->reads += account->reads;
	sum->read_pages += account->read_pages;
	sum->demand_miss_pages += account->demand_miss_pages;
	sum->fault_pages += account->fault_pages;
	sum->readahead_added_pages += account->readahead_added_pages;
	sum->readahead_used_pages += account->readahead_used_pages;
	sum->readahead_wasted_pages += account->readahead_wasted_pages;
	sum->readahead_untracked_pages += account->readahead_untracked_pages;
	sum->dirtied_pages += account->dirtied_pages;
}

struct reading {
	struct live_cache_account *account;
	struct live_cache sum;
	struct account_key *gone; /* of cgroups that do not exist any more */
	size_t gone_count;
};

static int add_gone(struct reading *reading, const struct account_key *key)
{
	struct account_key *gone =
		realloc(reading->gone, (reading->gone_count + 1) * sizeof(*gone));

	if (!gone)
		return -ENOMEM;
	reading->gone = gone;
	gone[reading->gone_count++] = *key;
	return 0;
}

static int forget_gone(struct live_cache_account *a, const struct reading *reading)
{
	int err = 0;

	for (size_t i = 0; i < reading->gone_count && !err; i++)
		err = probes__forget_account(a->probes, &reading->gone[i]);
	return err;
}

/* What the probes take back is taken off what they count later. */
static uint64_t raised(uint64_t now, uint64_t before)
{
	return (int64_t)(now - before) < 0 ? before : now;
}

static struct peak *raise_peak(struct live_cache_account *a, const struct account_key *key,
			       const __u64 sums[LIVE_CACHE_SUMS])
{
	struct peak *peak;

	HASH_FIND(hh, a->peaks, key, sizeof(*key), peak);
	if (!peak) {
		peak = calloc(1, sizeof(*peak));
		if (!peak)
			return NULL;
		peak->key = *key;
		HASH_ADD(hh, a->peaks, key, sizeof(peak->key), peak);
	}
	for (unsigned int i = 0; i < LIVE_CACHE_SUMS; i++)
		peak->sums[i] = raised(sums[i], peak->sums[i]);
	return peak;
}

/* The accounts of a cgroup differ by device, which the table adds up as keys of their own. */
static int add_to_table(struct reading *reading, const struct account_key *key,
			const struct account *account)
{
	struct live_cache_account *a = reading->account;
	const struct tally_cgroup_key series = {.cgroup = key->tgid, .number = key->device};
	const __u64 sums[LIVE_CACHE_SUMS] = {
		[LIVE_CACHE_READS] = account->reads,
		[LIVE_CACHE_READ] = account->read_pages * a->scale,
		[LIVE_CACHE_MISSED] = account->demand_miss_pages * a->scale,
		[LIVE_CACHE_FAULTED] = account->fault_pages * a->scale,
		[LIVE_CACHE_READAHEAD_ADDED] = account->readahead_added_pages * a->scale,
		[LIVE_CACHE_READAHEAD_USED] = account->readahead_used_pages * a->scale,
		[LIVE_CACHE_READAHEAD_WASTED] = account->readahead_wasted_pages * a->scale,
		[LIVE_CACHE_DIRTIED] = account->dirtied_pages * a->scale,
		[LIVE_CACHE_THROTTLED_NS] = account->throttle_ns,
	};
	struct peak *peak = raise_peak(a, key, sums);
	int result = peak ? cgroup_table__add(a->table, &series, peak->sums) : -ENOMEM;

	if (result != 1)
		return result;
	HASH_DEL(a->peaks, peak);
	free(peak);
	add_account(account, &a->gone);
	return add_gone(reading, key);
}

static int on_account(const struct account_key *key, const struct account *account, void *context)
{
	struct reading *reading = context;

	add_account(account, &reading->sum);
	return reading->account->table ? add_to_table(reading, key, account) : 0;
}

/* `now` receives the totals since the start. */
static int read_accounts(struct live_cache_account *a, struct live_cache *now)
{
	struct reading reading = {.account = a, .sum = a->gone};
	int err;

	if (a->table)
		cgroup_table__begin(a->table, clock_ns(CLOCK_MONOTONIC));
	err = probes__each_account(a->probes, on_account, &reading);
	*now = reading.sum;
	if (!err && a->table)
		err = cgroup_table__end(a->table);
	if (!err)
		err = forget_gone(a, &reading);
	free(reading.gone);
	return err;
}

int live_cache__read(struct live_cache_account *a, struct live_cache *cache)
{
	struct live_cache *last = &a->last, now;
	int err = read_accounts(a, &now);

	if (err)
		return err;
	now.reads = raised(now.reads, last->reads);
	*cache = (struct live_cache){
		.has_account = true,
		.has_reads = a->has_reads,
		.has_misses = a->has_misses,
		.reads = now.reads - last->reads,
	};
#define CHANGED(figure)                                \
	now.figure = raised(now.figure, last->figure); \
	cache->figure = (now.figure - last->figure) * a->scale
	CHANGED(read_pages);
	CHANGED(demand_miss_pages);
	CHANGED(fault_pages);
	CHANGED(readahead_added_pages);
	CHANGED(readahead_used_pages);
	CHANGED(readahead_wasted_pages);
	CHANGED(readahead_untracked_pages);
	CHANGED(dirtied_pages);
#undef CHANGED
	*last = now;
	return 0;
}

uint64_t live_cache__lost_pages(const struct live_cache_account *a, uint64_t *calls)
{
	uint64_t losses[LOSS_CLASS_COUNT];

	probes__losses(a->probes, losses);
	*calls += losses[LOSS_RECURSION];
	return losses[LOSS_CACHE_TABLE] * a->scale;
}
