/* SPDX-License-Identifier: MIT */
/*
 * Puts rows, which come in order of completion, into order of creation: a window of
 * ROW_ORDER_WINDOW rows is held back. A row that is later than that keeps its place behind and
 * is counted.
 */
#ifndef BLKREEL_WORKLOAD_ROW_ORDER_H
#define BLKREEL_WORKLOAD_ROW_ORDER_H

#include <stdint.h>

#include "trace/rows.h"

#define ROW_ORDER_WINDOW 65536u

struct row_order;

/* For rows of ROW_IO or ROW_ACCESS. 0 or -ENOMEM. */
int row_order__create(enum row_kind kind, struct row_order **order);
void row_order__free(struct row_order *o); /* NULL is allowed */

/* Takes a row; 1 when *out is the next in order, 0 when the window is not full yet. */
int row_order__push(struct row_order *o, const void *row, void *out);

/* After the last row: 1 and the next in order, 0 when none is left. */
int row_order__drain(struct row_order *o, void *out);

uint64_t row_order__late_rows(const struct row_order *o);

#endif
