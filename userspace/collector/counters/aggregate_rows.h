/* SPDX-License-Identifier: MIT */
/* Converts the figures of the counting probes for one interval to rows of the trace. */
#ifndef BLKREEL_COLLECTOR_COUNTERS_AGGREGATE_ROWS_H
#define BLKREEL_COLLECTOR_COUNTERS_AGGREGATE_ROWS_H

#include "collector/counters/live_sample.h"
#include "collector/rows/registry.h"
#include "trace/file/writer.h"

/* Adds the tiers of busy time and histograms, and one that tells that there are no IO rows. 0 or
 * negative errno. */
int aggregate_rows__add_tiers(struct trace_writer *writer, enum counting_quality quality);

/* Appends a tick row and histogram rows for every device that did something. 0 or negative
 * errno. */
int aggregate_rows__append(struct trace_writer *writer, struct registry *registry,
			   const struct live_sample *sample);

#endif
