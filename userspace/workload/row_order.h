/* SPDX-License-Identifier: MIT */
/*
 * Puts rows, which come in order of completion, into order of creation: a window of
 * ROW_ORDER_WINDOW rows is held back. A row that is later than that keeps its place behind and
 * is counted. Rows are of io, of accesses: of any struct that begins with its time in ns.
 */
#ifndef BLKREEL_WORKLOAD_ROW_ORDER_H
#define BLKREEL_WORKLOAD_ROW_ORDER_H

#include <stddef.h>
#include <stdint.h>

#define ROW_ORDER_WINDOW 65536u

struct row_order;

int row_order__create(size_t row_bytes, struct row_order **order); /* 0 or -ENOMEM */
void row_order__free(struct row_order *o);			   /* NULL is allowed */

/* Takes a row; 1 when *out is the next in order, 0 when the window is not full yet. */
int row_order__push(struct row_order *o, const void *row, void *out);

/* After the last row: 1 and the next in order, 0 when none is left. */
int row_order__drain(struct row_order *o, void *out);

uint64_t row_order__late_rows(const struct row_order *o);

#endif
