/* SPDX-License-Identifier: MIT */
/*
 * Computes the figures of a workload from its requests in order of creation, in one pass and
 * bounded memory. Rows of the kernel's flush machinery are ignored. docs/profile-format.md defines
 * each figure.
 */
#ifndef BLKREEL_WORKLOAD_FIGURES_MEASURE_H
#define BLKREEL_WORKLOAD_FIGURES_MEASURE_H

#include <stdbool.h>

#include "base/histogram.h"
#include "trace/rows.h"
#include "workload/figures/mrc.h"
#include "workload/figures/size_table.h"

#define BLOCK_SECTORS	  8	/* of a 4 KiB block of the footprint and cache figures */
#define BLOCKS_PER_IO_MAX 16384 /* of one request that count: 64 MiB */

enum window_scale {
	WINDOW_10MS = 0,
	WINDOW_1S,
	WINDOW_60S,
	WINDOW_SCALES
};

const char *window_scale_name(enum window_scale scale); /* "10ms", "1s", "60s" */

#define DEPTH_CLASSES 16

/* IOs that were issued with 2^c to 2^(c+1)-1 requests at the device, c the index. */
struct depth_class {
	uint64_t ios;
	double log_ns; /* sum of the natural logarithms of their device latencies in ns */
};

/* In ns. Total is from creation to completion; queue and device are its two parts. */
struct latency_figures {
	struct histogram total, queue, device;
	uint32_t in_flight_max;			    /* of reads or of writes; 0: not counted */
	struct depth_class by_depth[DEPTH_CLASSES]; /* of rows with a depth */
};

struct workload_figures {
	uint64_t ios, bytes; /* bytes that reads and writes move, not those that a discard names */
	uint64_t op_ios[IO_OP_COUNT];
	uint64_t fua_ios, preflush_ios;
	uint64_t flush_machinery_ios; /* not in ios: the kernel sends them for writes that flush */
	uint64_t duration_ns;	      /* first creation to last */
	struct size_table sizes;      /* of reads and writes that carry data */
	struct histogram gaps;	      /* ns between creations */
	double idc[WINDOW_SCALES];    /* variance / mean of counts; NaN: fewer than two windows */
	uint64_t windows[WINDOW_SCALES];
	uint64_t peak_10ms_ios;
	double busy_reads_pct; /* reads in the tenth of the IOs in the busiest 10 ms; NaN: no IO */
	double bytes_idc_1s;   /* busiest_bytes_idc() in windows of 1 s */
	double bytes_idc_ios;  /* IOs that this counts: bytes / busiest_io_bytes() */
	uint64_t data_ios, sequential_ios; /* reads and writes with data; of these sequential */
	struct mrc_curve mrc;		   /* of the blocks of these IOs */
	struct latency_figures read, write;
	bool follows_device; /* recorded of a replay that waits for completions: its times are the device's */
	bool is_generated;	/* by a profile */
	uint64_t resolution_ns; /* times are multiples of it; 0: not known */
};

struct workload_measure;

/* `block_offset_sectors`: where block 0 begins, 0 to 7. 0 or -ENOMEM. */
int workload_measure__create(unsigned int block_offset_sectors, struct workload_measure **measure);

/* The same, but follows at most `exact_blocks` distinct blocks, and a sample beyond; and does not count what is
 * in flight. */
int workload_measure__create_sampled(unsigned int block_offset_sectors, uint32_t exact_blocks,
				     struct workload_measure **measure);
void workload_measure__free(struct workload_measure *m); /* NULL is allowed */

int workload_measure__add(struct workload_measure *m, const struct io_row *row); /* 0, -ENOMEM */

/* How many flushes the kernel sent for writes that flush, which are not added. */
void workload_measure__set_flush_machinery(struct workload_measure *m, uint64_t ios);
/* The requests are those of a replay that waits for completions. */
void workload_measure__set_follows_device(struct workload_measure *m);
/* The requests are made by a profile: alike, but not the same. */
void workload_measure__set_generated(struct workload_measure *m);

/* Times are multiples of it. */
void workload_measure__set_resolution(struct workload_measure *m, uint64_t resolution_ns);

/* Closes the last windows and returns the figures, which `m` owns. */
const struct workload_figures *workload_measure__finish(struct workload_measure *m);

/* The 4 KiB blocks of a read or write: *first and *count. False: it touches no block. */
bool workload_blocks(const struct io_row *row, unsigned int block_offset_sectors, uint64_t *first,
		     uint64_t *count);

#endif
