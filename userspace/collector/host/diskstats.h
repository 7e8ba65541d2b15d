/* SPDX-License-Identifier: MIT */
/* Samples the kernel's own counters of block devices: the reference that a recording is compared
 * with. */
#ifndef BLKREEL_COLLECTOR_HOST_DISKSTATS_H
#define BLKREEL_COLLECTOR_HOST_DISKSTATS_H

#include "trace/rows.h"

struct diskstats;

int diskstats__create(struct diskstats **stats); /* 0 or negative errno */
void diskstats__free(struct diskstats *stats);

/* Reads the counters; *now_ns receives the moment of reading, as exactly as possible. 0 or negative
 * errno. */
int diskstats__read(struct diskstats *stats, uint64_t *now_ns);

/*
 * Processes the last read, once. For every device that `wanted` accepts and whose counters changed
 * since the last call, `each` gets the differences (tick->device is not set). The first call for a
 * device only stores its counters. 0 or negative errno.
 */
int diskstats__sample(struct diskstats *stats, uint64_t now_ns,
		      bool (*wanted)(uint32_t major, uint32_t minor, void *context),
		      int (*each)(uint32_t major, uint32_t minor, struct tick_row *tick,
				  void *context),
		      void *context);

/*
 * Fills the figures of a tick from the counters of a device at both ends of its interval, in the
 * order of /proc/diskstats. If a counter of 64 bits fell, another disk has taken the number, and its
 * counters began at 0. Counters of milliseconds have 32 bits and wrap.
 */
#define DISKSTATS_FIELDS 17
void diskstats__differences(const uint64_t now[DISKSTATS_FIELDS],
			    const uint64_t before[DISKSTATS_FIELDS], struct tick_row *tick);

#endif
