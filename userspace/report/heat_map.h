/* SPDX-License-Identifier: MIT */
/* Counts of IOs in cells: columns are the bins of a timeline, rows are of latency or addresses. */
#ifndef BLKREEL_REPORT_HEAT_MAP_H
#define BLKREEL_REPORT_HEAT_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/rows.h"

/* Zero-filled is empty, with the rows to be set. A map has no cells before the first IO of its operation. */
struct heat_map {
	uint32_t rows;
	uint32_t *cells[TICK_OP_COUNT]; /* column by column */
};

void heat_map_release(struct heat_map *h);

/* Adds `count` IOs. 0 or -ENOMEM. */
int heat_map_add(struct heat_map *h, enum tick_op op, uint32_t bin, uint32_t row, uint64_t count);

/* Pairs of columns become one, as by timeline_double(). */
void heat_map_double_bins(struct heat_map *h);

/* Pairs of rows become one: in the lower half of the rows, or in the upper one. */
void heat_map_double_rows(struct heat_map *h, bool to_upper_half);

/* The lowest and highest row with an IO; false: there is none. */
bool heat_map_range(const struct heat_map *h, uint32_t *lowest, uint32_t *highest);

/* Rows of latency: LATENCY_OCTAVE_ROWS of equal height on a log scale per power of two. */
#define LATENCY_OCTAVE_ROWS 8u
#define LATENCY_ROWS	    (64u * LATENCY_OCTAVE_ROWS)

/* The row of a latency; 0 ns is in row 0. Row n begins at 2^(n / LATENCY_OCTAVE_ROWS) ns. */
uint32_t latency_row(uint64_t latency_ns);

#endif
