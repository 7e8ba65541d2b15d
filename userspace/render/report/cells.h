/* SPDX-License-Identifier: MIT */
/*
 * The cells of a heat map as text: column by column, from the lowest row up, pairs of the empty
 * cells to skip and the count of the next one. Each number is LEB128, the whole is base64.
 */
#ifndef BLKREEL_RENDER_REPORT_CELLS_H
#define BLKREEL_RENDER_REPORT_CELLS_H

#include <stddef.h>

#include "report/heat_map.h"

/* The rows from `first_row` on, `rows` of them, of `bins` columns. For free(); NULL: out of memory. */
char *cells_text(const struct heat_map *map, enum tick_op op, uint32_t bins, uint32_t first_row,
		 uint32_t rows);

#endif
