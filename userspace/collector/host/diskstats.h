/* SPDX-License-Identifier: MIT */
/* The kernel's own counters of block devices, sampled: the truth that a recording is held to. */
#ifndef BLKREEL_COLLECTOR_HOST_DISKSTATS_H
#define BLKREEL_COLLECTOR_HOST_DISKSTATS_H

#include "trace/rows.h"

struct diskstats;

int diskstats__create(struct diskstats **stats); /* 0 or negative errno */
void diskstats__free(struct diskstats *stats);

/* Takes the counters as they are at a moment, *now_ns, as exactly as can be had. 0 or -errno. */
int diskstats__read(struct diskstats *stats, uint64_t *now_ns);

/*
 * What was read last, once. For every device that `wanted` accepts and whose counters moved since
 * the last call, `each` gets the differences (tick->device is not set). The first call of a
 * device only takes its counters. 0 or -errno.
 */
int diskstats__sample(struct diskstats *stats, uint64_t now_ns,
		      bool (*wanted)(uint32_t major, uint32_t minor, void *context),
		      int (*each)(uint32_t major, uint32_t minor, struct tick_row *tick,
				  void *context),
		      void *context);

/* How far a counter of the kernel has gone. Some have 32 bits and wrap; one that falls otherwise is
 * that of another device under the same number, which began at 0. */
uint64_t diskstats__difference(uint64_t now, uint64_t before);

#endif
