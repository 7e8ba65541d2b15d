/* SPDX-License-Identifier: MIT */
/*
 * Sorts rows by the time of their creation within a window: rows that come late by less than
 * TIME_ORDER_ROWS rows are put where they belong. Rows that come in order pass at little cost.
 */
#ifndef BLKREEL_EXCHANGE_TIME_ORDER_H
#define BLKREEL_EXCHANGE_TIME_ORDER_H

#include <stdbool.h>

#include "trace/rows.h"

#define TIME_ORDER_ROWS 65536u

struct time_order;

struct time_order *time_order__new(void);    /* NULL: no memory */
void time_order__free(struct time_order *t); /* NULL is allowed */

bool time_order__full(const struct time_order *t);
/* Of rows of one time that with the lower turn is first, then the first that came. Only while not full. */
void time_order__push(struct time_order *t, const struct io_row *row, uint64_t turn);
/* The row with the smallest time of those inside, the first pushed of equals; NULL: empty. Valid
 * until the next push. */
const struct io_row *time_order__pop(struct time_order *t);

/* Rows that were older than one pushed before them, and by how much at most. */
uint64_t time_order__disordered(const struct time_order *t);
uint64_t time_order__disorder_ns(const struct time_order *t);

#endif
