/* SPDX-License-Identifier: MIT */
/*
 * The IOs of a trace over time, in at most TIMELINE_BINS bins of equal width. When a time lies
 * behind the last bin, the width doubles: pairs of bins become one.
 */
#ifndef BLKREEL_REPORT_TIMELINE_H
#define BLKREEL_REPORT_TIMELINE_H

#include "trace/rows.h"

#define TIMELINE_BINS 1000u

struct timeline_load {
	uint32_t ios[TIMELINE_BINS];
	uint64_t bytes[TIMELINE_BINS];
};

struct timeline {
	uint64_t start_ns, width_ns;
	uint32_t bins; /* that are used: the highest with an IO, or of the duration */
	struct timeline_load load[TICK_OP_COUNT];
	uint32_t depth_max[TIMELINE_BINS];    /* requests at the driver at an issue */
	uint64_t in_flight_ns[TIMELINE_BINS]; /* summed time that IOs spent in the device */
	int64_t spanning[TIMELINE_BINS + 1];  /* change of the IOs that span a whole bin */
};

/* The smallest of 1, 2, 5 * 10^k ns of which TIMELINE_BINS cover the duration. */
uint64_t timeline_width_ns(uint64_t duration_ns);

/* duration_ns 0: not known. */
void timeline_init(struct timeline *t, uint64_t start_ns, uint64_t duration_ns);

/* Times the width must be doubled before the time fits. A time before the start is in bin 0. */
unsigned int timeline_doublings(const struct timeline *t, uint64_t time_ns);

/* Pairs of bins become one. */
void timeline_double(struct timeline *t);

/* The bin of a time that fits. */
uint32_t timeline_bin(const struct timeline *t, uint64_t time_ns);

/* Adds an IO whose times all fit; `op`: its column in /proc/diskstats. */
void timeline_add(struct timeline *t, const struct io_row *row, enum tick_op op);

/* After the last IO: completes in_flight_ns, and `bins` for the duration (0: not known). */
void timeline_finish(struct timeline *t, uint64_t duration_ns);

#endif
