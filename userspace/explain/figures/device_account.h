/* SPDX-License-Identifier: MIT */
/* The figures of one device, summed row by row in bounded memory. */
#ifndef BLKREEL_EXPLAIN_FIGURES_DEVICE_ACCOUNT_H
#define BLKREEL_EXPLAIN_FIGURES_DEVICE_ACCOUNT_H

#include "explain/figures/explanation.h"

struct device_account;

/*
 * `info` may be NULL when the table has no such entry. What is busy or at the driver counts from `start_ns` to `end_ns`.
 * NULL: out of memory.
 */
struct device_account *device_account__new(uint32_t id, const struct trace_device *info,
					   uint64_t start_ns, uint64_t end_ns);
void device_account__free(struct device_account *a); /* NULL is allowed */

/* `task`: who submitted it; NULL: not known. 0 or -ENOMEM. */
int device_account__add_io(struct device_account *a, const struct io_row *row,
			   const struct trace_task *task);
/* Adds the time that devices below took for a part of this row. */
void device_account__add_below(struct device_account *a, const struct io_row *row,
			       uint64_t below_ns);
/*
 * Takes the same row again, in the order of creation: counts it if it continues an earlier one, and for the
 * busiest times. 0 or -ENOMEM.
 */
int device_account__follow(struct device_account *a, const struct io_row *row);
/* Adds a bucket of a recording that has no rows of requests. 0 or -ENOMEM. */
int device_account__add_hist(struct device_account *a, const struct hist_row *row);
void device_account__add_tick(struct device_account *a, const struct tick_row *row);

/*
 * Hands over the finished figures, which explain_device__free() frees, and frees the account.
 * `partial`: the recording has no proper end, or a filter, and cannot be compared with the kernel's
 * counters. What is busy ends at `stop_ns` at the latest. NULL: out of memory.
 */
struct explain_device *device_account__finish(struct device_account *a, bool partial,
					      uint64_t stop_ns);

/* The column of /proc/diskstats that counts a row (enum tick_op); -1 for a passthrough command. */
int explain_column(const struct io_row *row);

/*
 * Total latency of a row, from the issue on if the trace has no creations; false when it is not
 * known.
 */
bool explain_total_ns(const struct io_row *row, uint64_t *total_ns);

/* From creation to issue; false when it is not known. */
bool explain_queue_ns(const struct io_row *row, uint64_t *queue_ns);

#endif
