/* SPDX-License-Identifier: MIT */
/* From what the counting probes counted in an interval to rows of the trace. */
#ifndef BLKREEL_COLLECTOR_COUNTERS_AGGREGATE_ROWS_H
#define BLKREEL_COLLECTOR_COUNTERS_AGGREGATE_ROWS_H

#include "collector/counters/live_sample.h"
#include "collector/rows/registry.h"
#include "trace/file/writer.h"

/* How busy time and histograms were got, and that there are no rows of requests. 0 or negative errno. */
int aggregate_rows__add_tiers(struct trace_writer *writer, enum counting_quality quality);

/* A tick row and rows of histograms for every device that did something. 0 or negative errno. */
int aggregate_rows__append(struct trace_writer *writer, struct registry *registry,
			   const struct live_sample *sample);

#endif
