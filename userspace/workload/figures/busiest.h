/* SPDX-License-Identifier: MIT */
/* The share of reads in the busiest windows of a workload, and the dispersion of its bytes. */
#ifndef BLKREEL_WORKLOAD_FIGURES_BUSIEST_H
#define BLKREEL_WORKLOAD_FIGURES_BUSIEST_H

#include <stdbool.h>
#include <stdint.h>

#define BUSIEST_BUCKETS 256 /* by the IOs of a window: four per power of two */

/* Counts IOs in windows that begin with the first IO. Zero-filled is empty. */
struct busiest {
	uint64_t window, window_ios, window_reads; /* the current window of 10 ms */
	uint64_t ios[BUSIEST_BUCKETS], reads[BUSIEST_BUCKETS];
	uint64_t second, second_bytes; /* the current window of 1 s */
	double bytes, squares;
	double all_bytes, io_squares; /* sum of the bytes of all IOs, and of their squares */
};

/* Adds the next IO; `time_ns` (since the first IO) never falls. */
void busiest_add(struct busiest *b, uint64_t time_ns, bool is_read, uint64_t bytes);

/* After the last IO: the percentage of reads in the tenth of all IOs with the busiest windows. */
double busiest_reads_pct(struct busiest *b);

/* The mean size of the IO that a byte belongs to; 0 without bytes. */
double busiest_io_bytes(const struct busiest *b);

/*
 * Variance / mean of the bytes per second over `seconds` whole seconds, divided by busiest_io_bytes(), so that
 * random arrivals of any sizes have 1. NaN: fewer than two seconds, or no bytes.
 */
double busiest_bytes_idc(const struct busiest *b, uint64_t seconds);

#endif
