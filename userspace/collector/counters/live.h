/* SPDX-License-Identifier: MIT */
/*
 * What the devices and the page cache are doing, interval by interval, without a trace: the kernel's
 * own counters, beside them the counting probes (tally.h) where they are permitted, and the page-cache
 * account.
 */
#ifndef BLKREEL_COLLECTOR_COUNTERS_LIVE_H
#define BLKREEL_COLLECTOR_COUNTERS_LIVE_H

#include "collector/host/devices.h"
#include "collector/counters/tally.h"
#include "trace/rows.h"

struct live;

/* The longest interval between two samples: the integral of a deep queue is kept in 48 bits. Longer ones
 * are added up (live_total.h). */
#define LIVE_LOOK_MAX_NS 4000000000ull

struct live_options {
	const char *const *devices; /* names or paths; none: every disk */
	unsigned int device_count;
	bool cache;
	bool written_back; /* count written pages of files also without `cache` */
};

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
	struct tally_figures probes;
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

/*
 * Begins to count. Where probes are not permitted or not possible there are fewer figures: see
 * live__missing(). On error `message` is a sentence. 0; -ENODEV: no such device; negative errno.
 */
int live__create(const struct live_options *options, struct live **live,
		 char message[COLLECTOR_MESSAGE_MAX]);
void live__free(struct live *l);

/* What changed since the last call. 0 or negative errno. */
int live__sample(struct live *l, struct live_sample *sample);

/* What cannot be told here, and why; *count of them. Of `l`. */
const struct live_missing *live__missing(const struct live *l, unsigned int *count);

/* 0: there are counting probes; -EPERM or another negative errno: why not. */
int live__probes_error(const struct live *l);
/* How busy time and depth are got; only where there are probes. */
enum tally_quality live__quality(const struct live *l);
/* Can what the counting probes count be read? 0 or negative errno. */
int live__is_readable(const struct live *l);

#endif
