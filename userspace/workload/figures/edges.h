/* SPDX-License-Identifier: MIT */
/* How many IOs may have ended while the kernel's counters were read for the first and the last
 * time. */
#ifndef BLKREEL_WORKLOAD_FIGURES_EDGES_H
#define BLKREEL_WORKLOAD_FIGURES_EDGES_H

#include "trace/rows.h"

/* The edges of one device. Zeroed: empty. */
struct edges {
	uint64_t ticks_from_ns, ticks_to_ns;
	uint64_t first_look_ns, last_look_ns;
	uint64_t first_end_ns, last_end_ns; /* of the rows, by their completion */
	uint64_t span, span_ios, peak_ios;  /* the present ms, its rows, and most in one */
	unsigned int cpus;		    /* the highest of a row, and one */
	bool has_ticks;
};

/* Rows come in about the order of completion. */
void edges_add_io(struct edges *e, const struct io_row *row);
void edges_add_tick(struct edges *e, const struct tick_row *row);
/* The IOs that may be in one account and not in the other; 0 if the device was idle. */
uint64_t edges_ios(const struct edges *e);

#endif
