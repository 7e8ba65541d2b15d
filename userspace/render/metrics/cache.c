// SPDX-License-Identifier: MIT
#include "render/metrics/metrics.h"

#include <errno.h>
#include <stdlib.h>

/* What this kernel reports. */
enum need {
	NEED_ACCOUNT,
	NEED_READS,
	NEED_MISSES,
};

/* Pages are of 4 KiB. */
static const struct family {
	enum live_cache_sum sum;
	enum need need;
	const char *name, *help;
} families[] = {
	{LIVE_CACHE_READ, NEED_READS, "blkreel_cache_read_pages",
	 "Pages of 4 KiB read from files."},
	{LIVE_CACHE_MISSED, NEED_MISSES, "blkreel_cache_missed_pages",
	 "Pages of 4 KiB that a reader waited for: demand misses."},
	{LIVE_CACHE_FAULTED, NEED_READS, "blkreel_cache_faulted_pages",
	 "Pages of 4 KiB read by faults of mappings."},
	{LIVE_CACHE_READAHEAD_ADDED, NEED_MISSES, "blkreel_cache_readahead_added_pages",
	 "Pages of 4 KiB that readahead added."},
	{LIVE_CACHE_READAHEAD_USED, NEED_MISSES, "blkreel_cache_readahead_used_pages",
	 "Pages of 4 KiB that readahead added and a reader used."},
	{LIVE_CACHE_READAHEAD_WASTED, NEED_MISSES, "blkreel_cache_readahead_wasted_pages",
	 "Pages of 4 KiB that readahead added and that left the cache unused."},
	{LIVE_CACHE_DIRTIED, NEED_ACCOUNT, "blkreel_cache_dirtied_pages",
	 "Pages of 4 KiB that became dirty."},
};

static bool is_known(const struct live_cache *cache, enum need need)
{
	if (need == NEED_READS)
		return cache->has_reads;
	return need == NEED_MISSES ? cache->has_misses : cache->has_account;
}

static void add(__u64 *sums, const struct cgroup_series *series)
{
	for (unsigned int i = 0; i < LIVE_CACHE_SUMS; i++)
		sums[i] += series->sums[i];
}

/* Adds up the devices of each cgroup. The series of a cgroup are side by side. */
static size_t merge(const struct cgroup_series *from, size_t count, struct cgroup_series *to)
{
	size_t merged = 0;

	for (size_t i = 0; i < count; i++)
		if (merged && to[merged - 1].key.cgroup == from[i].key.cgroup)
			add(to[merged - 1].sums, &from[i]);
		else
			to[merged++] = from[i];
	return merged;
}

static void write_family(struct exposition *x, const struct family *family,
			 const struct cgroup_series *series, size_t count,
			 char labels[METRICS_CGROUP_LABELS_MAX])
{
	exposition__family(x, family->name, METRIC_COUNTER, NULL, family->help);
	for (size_t i = 0; i < count; i++) {
		metrics__cgroup_label(series[i].place, labels);
		exposition__value(x, labels, series[i].sums[family->sum]);
	}
}

static void write_paused(struct exposition *x, const struct cgroup_series *series, size_t count,
			 char labels[METRICS_CGROUP_LABELS_MAX])
{
	exposition__family(x, "blkreel_cache_paused_seconds", METRIC_COUNTER, "seconds",
			   "Time in which writers were paused because too many pages were dirty.");
	for (size_t i = 0; i < count; i++) {
		metrics__cgroup_label(series[i].place, labels);
		exposition__seconds(x, labels, series[i].sums[LIVE_CACHE_THROTTLED_NS]);
	}
}

static void write_by_cgroup(struct exposition *x, const struct metrics_source *source,
			    const struct cgroup_series *series, size_t count, char *labels)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (is_known(&source->total->cache, families[i].need))
			write_family(x, &families[i], series, count, labels);
	write_paused(x, series, count, labels);
}

static void write_totals(struct exposition *x, const struct live_cache *cache)
{
	const uint64_t pages[LIVE_CACHE_SUMS] = {
		[LIVE_CACHE_READ] = cache->read_pages,
		[LIVE_CACHE_MISSED] = cache->demand_miss_pages,
		[LIVE_CACHE_FAULTED] = cache->fault_pages,
		[LIVE_CACHE_READAHEAD_ADDED] = cache->readahead_added_pages,
		[LIVE_CACHE_READAHEAD_USED] = cache->readahead_used_pages,
		[LIVE_CACHE_READAHEAD_WASTED] = cache->readahead_wasted_pages,
		[LIVE_CACHE_DIRTIED] = cache->dirtied_pages,
	};

	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		if (!is_known(cache, families[i].need))
			continue;
		exposition__family(x, families[i].name, METRIC_COUNTER, NULL, families[i].help);
		exposition__value(x, "", pages[families[i].sum]);
	}
}

int metrics__cache(struct exposition *x, const struct metrics_source *source)
{
	const struct cgroup_series *series;
	struct cgroup_series *merged;
	size_t count;
	char *labels;
	int err = 0;

	if (!source->total->cache.has_account)
		return 0;
	if (!source->cache) {
		write_totals(x, &source->total->cache);
		return 0;
	}
	series = cgroup_table__series(source->cache, &count);
	merged = calloc(count + 1, sizeof(*merged));
	labels = malloc(METRICS_CGROUP_LABELS_MAX);
	if (merged && labels)
		write_by_cgroup(x, source, merged, merge(series, count, merged), labels);
	else
		err = -ENOMEM;
	free(merged);
	free(labels);
	return err;
}
