/* SPDX-License-Identifier: MIT */
/*
 * A recording without a row per IO: per device and interval the kernel's counters, busy time, depth and
 * histograms, and on demand the page-cache account. Made to be always on. The counterpart of
 * recording.h, used alike.
 */
#ifndef BLKREEL_COLLECTOR_COUNTERS_AGGREGATE_H
#define BLKREEL_COLLECTOR_COUNTERS_AGGREGATE_H

#include "collector/options.h"

struct aggregate;

/*
 * Begins; `options` as for recording__start(), but that process, cgroup and ring size mean nothing here.
 * Rows are written every `interval_ns` (1 ms to 1 h). On error nothing is left behind and `message` holds a
 * sentence. 0; -EPERM: privileges are missing; -ENODEV: no such device; other negative errno.
 */
int aggregate__start(const char *path, const struct recording_options *options,
		     uint64_t interval_ns, struct aggregate **aggregate,
		     char message[COLLECTOR_MESSAGE_MAX]);

/* Readable when it has failed in between (disk full). */
int aggregate__failure_fd(const struct aggregate *a);

/* Writes what came since the last interval, closes the file and frees `a`. totals->io_rows are the IOs that were
 * counted. As recording__stop(). */
int aggregate__stop(struct aggregate *a, int command_status, struct recording_totals *totals,
		    char message[COLLECTOR_MESSAGE_MAX]);

#endif
