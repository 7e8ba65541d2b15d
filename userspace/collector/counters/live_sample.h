/* SPDX-License-Identifier: MIT */
/* What the devices and the page cache did in one interval, and which figures are missing. */
#ifndef BLKREEL_COLLECTOR_COUNTERS_LIVE_SAMPLE_H
#define BLKREEL_COLLECTOR_COUNTERS_LIVE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/counters/counting_probes.h"
#include "collector/options.h"
#include "trace/rows.h"

enum live_change {
	LIVE_SAME,
	LIVE_APPEARED,
	LIVE_VANISHED, /* since the last look */
};

struct live_device {
	char name[TRACE_NAME_MAX];
	uint32_t major, minor;
	bool named;	/* by the user */
	bool there;	/* it exists and has a size */
	bool accounted; /* the kernel counts what it does (queue/iostats): else `kernel` is 0 */
	bool probed; /* `probes` says something: not for partitions nor for devices without requests */
	bool moved; /* something happened in the interval, or is in flight */
	enum live_change change;
	struct tick_row kernel; /* differences of the kernel's counters */
	struct counting_figures probes;
};

/* Pages of 4 KiB, but for reads. What this kernel cannot tell is not `has`. */
struct live_cache {
	bool has_account, has_reads, has_misses;
	uint64_t reads, read_pages, demand_miss_pages, fault_pages;
	uint64_t readahead_added_pages, readahead_used_pages, readahead_wasted_pages;
	uint64_t readahead_untracked_pages;
	uint64_t dirtied_pages;
	bool has_written_back; /* also without an account: seen by the counting probes */
	uint64_t written_back_pages;
};

struct live_lost {
	uint64_t probe_calls; /* skipped by the kernel */
	uint64_t unreported;  /* starts or ends of requests that the kernel did not report */
	uint64_t cache_pages; /* not attributed: the account was full */
	uint64_t devices;     /* not followed by probes: more than there is room for */
};

#define LIVE_MISSING_MAX 4

struct live_missing {
	const char *figures;		 /* what is missing */
	char why[COLLECTOR_MESSAGE_MAX]; /* and the remedy */
};

struct live_sample {
	uint64_t time_ns;	     /* CLOCK_MONOTONIC */
	uint64_t wall_ns;	     /* CLOCK_REALTIME */
	uint64_t interval_ns;	     /* since the last sample, or the start */
	struct live_device *devices; /* of `live`, valid until the next sample */
	unsigned int device_count;
	struct live_cache cache;
	struct live_lost lost; /* in this interval */
};

#endif
