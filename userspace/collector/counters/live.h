/* SPDX-License-Identifier: MIT */
/*
 * Live figures of devices and the page cache, interval by interval, without a trace: the kernel's
 * own counters, the counting probes (counting_probes.h) where permitted, and the page-cache
 * account.
 */
#ifndef BLKREEL_COLLECTOR_COUNTERS_LIVE_H
#define BLKREEL_COLLECTOR_COUNTERS_LIVE_H

#include "collector/counters/cgroup_series.h"
#include "collector/counters/live_sample.h"

struct live;

/* The longest interval between two samples: the integral of the queue depth is kept in 48 bits.
 * Callers add up samples for longer intervals (live_total.h). */
#define LIVE_INTERVAL_MAX_NS 4000000000ull

struct live_options {
	const char *const *devices; /* names or paths; empty: all disks */
	unsigned int device_count;
	/* Named devices are the disks of this moment: one that goes away does not come back. */
	bool only_these_disks;
	bool cache;
	bool written_back;    /* count written pages of files also without `cache` */
	bool sizes;	      /* count IOs by their size, too */
	unsigned int cgroups; /* see struct counting_options */
	struct cgroup_table
		*cache_table; /* with `cache`: count it by memory cgroup, too; or NULL */
};

/*
 * Begins to count. Where probes are not permitted or not possible there are fewer figures, see
 * live__missing(). On error `message` holds a sentence. 0; -ENODEV: no such device; other negative
 * errno.
 */
int live__create(const struct live_options *options, struct live **live,
		 char message[COLLECTOR_MESSAGE_MAX]);
void live__free(struct live *l); /* NULL is allowed */

/* Fills *sample with the changes since the last call. 0 or negative errno. */
int live__sample(struct live *l, struct live_sample *sample);

/* Whether the named devices that were there at the last sample are still the same disks. Cheap. */
bool live__disks_hold(const struct live *l);

/* The figures that are missing here, and why; *count receives their number. Owned by `l`. */
const struct live_missing *live__missing(const struct live *l, unsigned int *count);

/* 0: there are counting probes; -EPERM or other negative errno: why not. */
int live__probes_error(const struct live *l);
/* How busy time and depth are measured. Call it only with counting probes. */
enum counting_quality live__quality(const struct live *l);
/* The counting probes, or NULL. Owned by `l`. */
struct counting_probes *live__counting(struct live *l);
/* Whether the figures of the counting probes can be read: 0 or negative errno. */
int live__is_readable(const struct live *l);

#endif
