/* SPDX-License-Identifier: MIT */
/* The page-cache account, summed over all files and processes: what changed since the last look. */
#ifndef BLKREEL_COLLECTOR_COUNTERS_LIVE_CACHE_H
#define BLKREEL_COLLECTOR_COUNTERS_LIVE_CACHE_H

#include "collector/counters/live_sample.h"
#include "collector/host/devices.h"

struct live_cache_account;

/* Of the files on these devices, or of all. On error `message` is a sentence. 0 or negative errno. */
int live_cache__create(const struct device_choice *devices, unsigned int device_count,
		       struct live_cache_account **account, char message[COLLECTOR_MESSAGE_MAX]);
void live_cache__free(struct live_cache_account *a);

/* Appends what this kernel cannot tell of the page cache; *count of LIVE_MISSING_MAX are there. */
void live_cache__missing(const struct live_cache_account *a, unsigned int *count,
			 struct live_missing missing[LIVE_MISSING_MAX]);

/* All of `cache` but what was written back. 0 or negative errno. */
int live_cache__read(struct live_cache_account *a, struct live_cache *cache);

/* Pages that were not attributed since the beginning; the calls that the kernel skipped are added to
 * *calls. */
uint64_t live_cache__lost_pages(const struct live_cache_account *a, uint64_t *calls);

#endif
