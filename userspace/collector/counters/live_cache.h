/* SPDX-License-Identifier: MIT */
/* The page-cache account, summed over all files and processes: changes since the last read. */
#ifndef BLKREEL_COLLECTOR_COUNTERS_LIVE_CACHE_H
#define BLKREEL_COLLECTOR_COUNTERS_LIVE_CACHE_H

#include "collector/counters/cgroup_series.h"
#include "collector/counters/live_sample.h"
#include "collector/host/devices.h"

struct live_cache_account;

/* The sums of a series, in pages of 4 KiB but for the first; numbers and ops are 0. */
enum live_cache_sum {
	LIVE_CACHE_READS,
	LIVE_CACHE_READ,
	LIVE_CACHE_MISSED,
	LIVE_CACHE_FAULTED,
	LIVE_CACHE_READAHEAD_ADDED,
	LIVE_CACHE_READAHEAD_USED,
	LIVE_CACHE_READAHEAD_WASTED,
	LIVE_CACHE_DIRTIED,
	LIVE_CACHE_THROTTLED_NS, /* time in which writers were paused, as there were too many dirty pages */
	LIVE_CACHE_SUMS,
};

/* Starts the account for files on these devices, or, with count 0, on all; with `table` also by
 * memory cgroup. On error `message` holds a sentence. 0 or negative errno. */
int live_cache__create(const struct device_choice *devices, unsigned int device_count,
		       struct cgroup_table *table, struct live_cache_account **account,
		       char message[COLLECTOR_MESSAGE_MAX]);
void live_cache__free(struct live_cache_account *a); /* NULL is allowed */

/* Appends the page-cache figures that this kernel cannot report; *count entries of LIVE_MISSING_MAX
 * are filled. */
void live_cache__missing(unsigned int *count, struct live_missing missing[LIVE_MISSING_MAX]);

/* Fills *cache but for the written-back pages. 0 or negative errno. */
int live_cache__read(struct live_cache_account *a, struct live_cache *cache);

/* Pages that were not attributed since the start. Adds the calls that the kernel skipped to
 * *calls. */
uint64_t live_cache__lost_pages(const struct live_cache_account *a, uint64_t *calls);

#endif
