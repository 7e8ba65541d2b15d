/* SPDX-License-Identifier: MIT */
/*
 * What a report shows of a trace, from one pass over its rows in bounded memory: the figures of
 * explain, and their course over time. Nothing here prints.
 *
 * What is counted over time is what explain counts by process: an IO that is work of an IO of a
 * device above counts with that device alone, unless devices were chosen.
 */
#ifndef BLKREEL_REPORT_REPORT_H
#define BLKREEL_REPORT_REPORT_H

#include "explain/figures/explanation.h"
#include "report/address_map.h"
#include "report/cache_series.h"
#include "report/task_series.h"
#include "trace/file/reader.h"
#include "workload/figures/mrc.h"

#define REPORT_SIZES	   25u /* up to 4 KiB, 8 KiB ... 64 GiB, and larger ones */
#define REPORT_SLOWEST_MAX 50u
#define REPORT_MAPS_MAX	   16u

struct report_sizes {
	uint64_t ios[REPORT_SIZES], bytes[REPORT_SIZES];
};

/* One trace. */
struct report {
	struct explanation *explanation;
	struct timeline timeline;
	struct heat_map latency; /* LATENCY_ROWS, of the IOs with a known latency */
	uint32_t latency_octave_rows;
	struct address_map maps[REPORT_MAPS_MAX]; /* of the first devices that the trace has */
	uint32_t map_count;
	const struct address_map *addresses; /* of these the one with the most IOs; NULL: no IO */
	char addresses_device[TRACE_NAME_MAX];
	struct task_series tasks;
	struct cache_series cache;
	struct report_sizes sizes[TICK_OP_COUNT]; /* of IOs with data */
	struct mrc_curve misses; /* of the blocks of 4 KiB of all devices, read or written */
	struct explain_slow_io slowest[REPORT_SLOWEST_MAX]; /* the slowest first */
	uint32_t slowest_count;
	uint64_t late_rows; /* that came too late to be sorted for the miss curve */
};

/*
 * Reads every row of `reader`, a trace from its beginning, as explain_trace() does. `duration_ns`:
 * at least what the bins shall cover; the trace may be longer or shorter. `part_ns`: as for
 * explain_trace(). *result is for report__free(). 0 or -ENOMEM.
 */
int report_trace(struct trace_reader *reader, const char *const *devices, uint32_t device_count,
		 uint64_t duration_ns, uint64_t part_ns, struct report **result, int *read_err);
void report__free(struct report *r); /* NULL is allowed */

/*
 * The length of a trace, which is read to its end without its rows. 0: not known, because its end
 * is missing.
 */
uint64_t report_duration_ns(struct trace_reader *reader);

/*
 * Makes bins equally wide in all, and makes latency rows higher and bins wider until the cells of
 * all maps need about `bytes` at most in a document.
 */
void report_fit(struct report *const *reports, unsigned int count, uint64_t bytes);

#endif
