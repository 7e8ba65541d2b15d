/* SPDX-License-Identifier: MIT */
/* The figures of devices and the page cache in one interval, and which figures are missing. */
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
	LIVE_VANISHED, /* since the last sample */
	LIVE_REPLACED, /* another disk has its number */
};

struct live_device {
	char name[TRACE_NAME_MAX];
	uint32_t major, minor;
	bool named;	/* named by the user */
	bool there;	/* exists and has a size */
	bool accounted; /* the kernel counts its IO (queue/iostats); otherwise `kernel` is 0 */
	bool probed; /* `probes` is valid: not for partitions, nor for devices without requests */
	bool moved;  /* had IO in the interval, or has IO in flight */
	enum live_change change;
	struct tick_row kernel; /* differences of the kernel's counters */
	struct counting_figures probes;
};

/* Pages of 4 KiB; `reads` counts requests. A false has_* marks figures that this kernel cannot
 * report. */
struct live_cache {
	bool has_account, has_reads, has_misses;
	uint64_t reads, read_pages, demand_miss_pages, fault_pages;
	uint64_t readahead_added_pages, readahead_used_pages, readahead_wasted_pages;
	uint64_t readahead_untracked_pages;
	uint64_t dirtied_pages;
	bool has_written_back; /* independent of the account: from the counting probes */
	uint64_t written_back_pages;
};

struct live_lost {
	uint64_t probe_calls; /* skipped by the kernel */
	uint64_t end_calls;   /* of these: at the end of a request, which is in no sum then */
	uint64_t cache_calls; /* of these: of the page cache */
	uint64_t unreported;  /* starts or ends of requests that the kernel did not report */
	uint64_t cache_pages; /* pages not attributed: the account was full */
	uint64_t devices;     /* devices that the probes do not follow: there were too many */
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
	struct live_device *devices; /* owned by `live`, valid until the next sample */
	unsigned int device_count;
	struct live_cache cache;
	struct live_lost lost; /* in this interval */
};

#endif
