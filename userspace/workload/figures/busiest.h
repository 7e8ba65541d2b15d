/* SPDX-License-Identifier: MIT */
/* What a workload does in its busiest moments, and how its bytes come together. */
#ifndef BLKREEL_WORKLOAD_FIGURES_BUSIEST_H
#define BLKREEL_WORKLOAD_FIGURES_BUSIEST_H

#include <stdbool.h>
#include <stdint.h>

#define BUSIEST_BUCKETS 256 /* of the IOs of a window: four to a power of two */

/* IOs are counted in windows that begin with the first one. */
struct busiest {
	uint64_t window, window_ios, window_reads; /* of 10 ms, being filled */
	uint64_t ios[BUSIEST_BUCKETS], reads[BUSIEST_BUCKETS];
	uint64_t second, second_bytes; /* of 1 s */
	double bytes, squares;
};

/* The next IO; times never fall. */
void busiest_add(struct busiest *b, uint64_t time_ns, bool is_read, uint64_t bytes);

/* After the last IO: the reads of the tenth of all IOs that lies in the busiest windows, per cent. */
double busiest_reads_pct(struct busiest *b);

/* Variance / mean of the bytes of so many whole seconds; NaN: fewer than two, or no bytes. */
double busiest_bytes_idc(const struct busiest *b, uint64_t seconds);

#endif
