/* SPDX-License-Identifier: MIT */
/*
 * A recording without a row per IO: for each device and interval the kernel's counters, busy time,
 * depth and histograms, and with --cache the page-cache account. Cheap enough to run all the time.
 * Has the same functions as recording.h.
 */
#ifndef BLKREEL_COLLECTOR_COUNTERS_AGGREGATE_H
#define BLKREEL_COLLECTOR_COUNTERS_AGGREGATE_H

#include "collector/options.h"

struct aggregate;

/*
 * Starts the recording. `options` as for recording__start(), but process, cgroup and ring size are
 * ignored. Rows are written every `interval_ns` (1 ms to 1 h). On error nothing is left behind and
 * `message` holds a sentence. 0; -EPERM: privileges are missing; -ENODEV: no such device; other
 * negative errno.
 */
int aggregate__start(const char *path, const struct recording_options *options,
		     uint64_t interval_ns, struct aggregate **aggregate,
		     char message[COLLECTOR_MESSAGE_MAX]);

/* A descriptor that becomes readable when the recording has failed (disk full). */
int aggregate__failure_fd(const struct aggregate *a);

/* Writes the last interval, closes the file and frees `a`. totals->io_rows is the number of IOs
 * counted. Returns as recording__stop(). */
int aggregate__stop(struct aggregate *a, int command_status, struct recording_totals *totals,
		    char message[COLLECTOR_MESSAGE_MAX]);

#endif
