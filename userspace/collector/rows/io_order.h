/* SPDX-License-Identifier: MIT */
/*
 * Puts the records of several rings into the order of completion. A record that completed after
 * `until_ns` waits for the next round, because another ring may still hold an earlier one.
 */
#ifndef BLKREEL_COLLECTOR_ROWS_IO_ORDER_H
#define BLKREEL_COLLECTOR_ROWS_IO_ORDER_H

#include <stdint.h>

#include "bpf/event.h"

struct io_order;

int io_order__create(struct io_order **order); /* 0 or -ENOMEM */
void io_order__free(struct io_order *order);

/* Adds a copy of a record. 1: added, and full: release all; 0: added. */
int io_order__add(struct io_order *order, const struct io_event *event);
/* The same without a copy, for a record that stays in place until the next release has returned. */
int io_order__add_lasting(struct io_order *order, const struct io_event *event);

/* Hands out the records that completed up to until_ns, in order. 0 or the first error of `each`. */
int io_order__release(struct io_order *order, uint64_t until_ns,
		      int (*each)(const struct io_event *event, void *context), void *context);

/* Shows the records that were added and not handed out yet, in no order. */
void io_order__each_held(const struct io_order *order,
			 int (*each)(const struct io_event *event, void *context), void *context);

#endif
