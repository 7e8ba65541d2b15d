/* SPDX-License-Identifier: MIT */
/*
 * Operations on files: orders the records of the probes, joins consecutive removed pages to ranges,
 * and converts records to rows.
 */
#ifndef BLKREEL_COLLECTOR_ROWS_ACCESSES_H
#define BLKREEL_COLLECTOR_ROWS_ACCESSES_H

#include "bpf/event.h"
#include "trace/rows.h"

struct accesses;

int accesses__create(struct accesses **accesses); /* 0 or -ENOMEM */
void accesses__free(struct accesses *a);	  /* NULL is allowed */

/* Adds a copy of the record. 1: added, and full: release all; 0; -ENOMEM. */
int accesses__add(struct accesses *a, const struct access_event *event);

/* Hands out the records that ended up to until_ns, in the order of their ends. Later ones wait,
 * because another ring may still hold an earlier one. 0 or the first error of `each`. */
int accesses__release(struct accesses *a, uint64_t until_ns,
		      int (*each)(const struct access_event *event, void *context), void *context);

/* Fills all fields of the row but the ids of tables; pages are converted to 4 KiB. */
void accesses__to_row(const struct access_event *event, struct access_row *row);

#endif
