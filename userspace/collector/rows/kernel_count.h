/* SPDX-License-Identifier: MIT */
/*
 * IOs that the kernel counted and no row tells of. Where one probe sees an IO, as with record
 * --lean, a call that the kernel skips leaves nothing else behind.
 */
#ifndef BLKREEL_COLLECTOR_ROWS_KERNEL_COUNT_H
#define BLKREEL_COLLECTOR_ROWS_KERNEL_COUNT_H

#include "trace/rows.h"

struct kernel_count;

int kernel_count__create(struct kernel_count **count); /* 0 or -ENOMEM */
void kernel_count__free(struct kernel_count *count);   /* NULL is allowed */

/* A row was written; the counters were first read at `from_ns`. 0 or -ENOMEM. */
int kernel_count__add_row(struct kernel_count *count, const struct io_row *row, uint64_t from_ns);

/* The kernel's counters of a device changed. 0 or -ENOMEM. */
int kernel_count__add_tick(struct kernel_count *count, const struct tick_row *tick);

/*
 * The IOs without a row, of devices that have rows; 0 of a device where they are no more than may
 * have been in flight, or have ended, while the counters were read first and last.
 */
uint64_t kernel_count__missing(const struct kernel_count *count);

#endif
