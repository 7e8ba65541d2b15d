// SPDX-License-Identifier: MIT
#include "collector/counters/live_cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "collector/kernel/capabilities.h"
#include "collector/kernel/btf.h"
#include "collector/probes/probes.h"

#define RING_BYTES 65536 /* no records are sent, but a ring must exist */

struct live_cache_account {
	struct probes *probes;
	uint64_t scale; /* pages of 4 KiB per kernel page */
	bool has_reads, has_misses;
	struct live_cache last; /* totals at the last read */
};

int live_cache__create(const struct device_choice *devices, unsigned int device_count,
		       struct live_cache_account **account, char message[COLLECTOR_MESSAGE_MAX])
{
	struct probes_options options = {.devices = devices,
					 .device_count = device_count,
					 .parts = PROBE_CACHE,
					 .cache_totals = true,
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
	a->scale = (uint64_t)sysconf(_SC_PAGESIZE) / PAGE_BYTES;
	a->has_reads = kernel_btf_has_tracepoint("mm_filemap_get_pages");
	a->has_misses = kernel_btf_has_tracepoint("page_cache_sync_ra");
	probes__resume(a->probes);
	*account = a;
	return 0;
}

void live_cache__free(struct live_cache_account *a)
{
	if (!a)
		return;
	probes__free(a->probes);
	free(a);
}

void live_cache__missing(const struct live_cache_account *a, unsigned int *count,
			 struct live_missing missing[LIVE_MISSING_MAX])
{
	if (!a->has_reads && *count < LIVE_MISSING_MAX) {
		missing[*count].figures = "page-cache hits";
		snprintf(
			missing[(*count)++].why, COLLECTOR_MESSAGE_MAX,
			"this kernel has no tracepoint mm_filemap_get_pages (Linux 6.12 and later have it)");
	}
	if (!a->has_misses && *count < LIVE_MISSING_MAX) {
		missing[*count].figures = "demand misses and readahead";
		snprintf(
			missing[(*count)++].why, COLLECTOR_MESSAGE_MAX,
			"this kernel has no tracepoint page_cache_sync_ra (Linux 6.18 and later have it)");
	}
}

static int add_account(const struct account_key *key, const struct account *account, void *context)
{
	struct live_cache *sum = context;

	sum->reads += account->reads;
	sum->read_pages += account->read_pages;
	sum->demand_miss_pages += account->demand_miss_pages;
	sum->fault_pages += account->fault_pages;
	sum->readahead_added_pages += account->readahead_added_pages;
	sum->readahead_used_pages += account->readahead_used_pages;
	sum->readahead_wasted_pages += account->readahead_wasted_pages;
	sum->readahead_untracked_pages += account->readahead_untracked_pages;
	sum->dirtied_pages += account->dirtied_pages;
	return 0;
}

int live_cache__read(struct live_cache_account *a, struct live_cache *cache)
{
	struct live_cache now = {0};
	int err = probes__each_account(a->probes, add_account, &now);

	if (err)
		return err;
	*cache = (struct live_cache){
		.has_account = true,
		.has_reads = a->has_reads,
		.has_misses = a->has_misses,
		.reads = now.reads - a->last.reads,
	};
#define CHANGED(figure) cache->figure = (now.figure - a->last.figure) * a->scale
	CHANGED(read_pages);
	CHANGED(demand_miss_pages);
	CHANGED(fault_pages);
	CHANGED(readahead_added_pages);
	CHANGED(readahead_used_pages);
	CHANGED(readahead_wasted_pages);
	CHANGED(readahead_untracked_pages);
	CHANGED(dirtied_pages);
#undef CHANGED
	a->last = now;
	return 0;
}

uint64_t live_cache__lost_pages(const struct live_cache_account *a, uint64_t *calls)
{
	uint64_t losses[LOSS_CLASS_COUNT];

	probes__losses(a->probes, losses);
	*calls += losses[LOSS_RECURSION];
	return losses[LOSS_CACHE_TABLE] * a->scale;
}
