/* SPDX-License-Identifier: MIT */
/*
 * Who does IO now: the records of the recorder, summed interval by interval and not written
 * anywhere. For a process with a single thread.
 */
#ifndef BLKREEL_COLLECTOR_ACTIVITY_ACTIVITY_H
#define BLKREEL_COLLECTOR_ACTIVITY_ACTIVITY_H

#include "collector/activity/parties.h"
#include "collector/counters/live_sample.h"
#include "collector/options.h"

struct activity;

struct activity_options {
	const char *const *devices; /* names or paths; empty: all disks */
	unsigned int device_count;
	bool cache; /* also the page cache, where this kernel can tell */
};

/* One interval, valid until the next. */
struct activity_sample {
	uint64_t time_ns, wall_ns; /* of its end: CLOCK_MONOTONIC, CLOCK_REALTIME */
	uint64_t interval_ns;
	struct parties parties;
	uint64_t lost[LOSS_CLASS_COUNT]; /* in the interval */
	bool has_cache;
	/* With has_cache: what this kernel tells. */
	bool has_reads, has_misses, has_page_waits;
};

/* The longest interval. What is kept of an interval grows with its events. */
#define ACTIVITY_INTERVAL_MAX_NS 60000000000ull

/*
 * Loads and attaches the probes, gives up every capability (but CAP_BPF where the kernel asks for it
 * even to read), and begins an interval. On error `message` holds a sentence with the remedy. 0;
 * -EPERM: privileges are missing; -ENODEV: no such device; other negative errno.
 */
int activity__create(const struct activity_options *options, struct activity **activity,
		     char message[COLLECTOR_MESSAGE_MAX]);
void activity__free(struct activity *a); /* NULL is allowed */

/* Takes the records of the probes. Call it every 0.1 s or more often, or records get lost, which is
 * counted. 0; -ENODEV: no device is left; other negative errno. */
int activity__drain(struct activity *a);

/* Ends the interval and begins the next. The caller releases sample->parties. 0 or negative
 * errno. */
int activity__sample(struct activity *a, struct activity_sample *sample);

/* The figures that are missing here, and why; *count receives their number. Owned by `a`. */
const struct live_missing *activity__missing(const struct activity *a, unsigned int *count);

#endif
