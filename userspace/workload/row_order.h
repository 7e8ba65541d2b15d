/* SPDX-License-Identifier: MIT */
/*
 * Puts io rows, which come in order of completion, into order of creation: a window of
 * ROW_ORDER_WINDOW rows is held back. A row that is later than that keeps its place behind and
 * is counted.
 */
#ifndef BLKREEL_WORKLOAD_ROW_ORDER_H
#define BLKREEL_WORKLOAD_ROW_ORDER_H

#include "trace/rows.h"

#define ROW_ORDER_WINDOW 65536u

struct row_order;

int row_order__create(struct row_order **order); /* 0 or -ENOMEM */
void row_order__free(struct row_order *o);	 /* NULL is allowed */

/* Takes a row; 1 when *out is the next in order, 0 when the window is not full yet. */
int row_order__push(struct row_order *o, const struct io_row *row, struct io_row *out);

/* After the last row: 1 and the next in order, 0 when none is left. */
int row_order__drain(struct row_order *o, struct io_row *out);

uint64_t row_order__late_rows(const struct row_order *o);

#endif
