/* SPDX-License-Identifier: MIT */
/*
 * What the devices and the page cache are doing, interval by interval, without a trace: the kernel's
 * own counters, beside them the counting probes (counting_probes.h) where they are permitted, and the page-cache
 * account.
 */
#ifndef BLKREEL_COLLECTOR_COUNTERS_LIVE_H
#define BLKREEL_COLLECTOR_COUNTERS_LIVE_H

#include "collector/counters/live_sample.h"

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
enum counting_quality live__quality(const struct live *l);
/* Can what the counting probes count be read? 0 or negative errno. */
int live__is_readable(const struct live *l);

#endif
