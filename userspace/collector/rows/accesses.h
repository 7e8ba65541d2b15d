/* SPDX-License-Identifier: MIT */
/*
 * Operations on files as the probes give them: put in order, pages that left the cache one after the
 * other joined to a range, and turned into rows.
 */
#ifndef BLKREEL_COLLECTOR_ROWS_ACCESSES_H
#define BLKREEL_COLLECTOR_ROWS_ACCESSES_H

#include "bpf/event.h"
#include "trace/rows.h"

struct accesses;

int accesses__create(struct accesses **accesses); /* 0 or -ENOMEM */
void accesses__free(struct accesses *a);	  /* NULL is allowed */

/* Keeps a copy. 1: it is full, release all; 0 or -ENOMEM. */
int accesses__add(struct accesses *a, const struct access_event *event);

/* Hands out those that ended up to until_ns, in the order of their ends; what ended later waits, as
 * another ring may still hold an earlier one. 0 or the first error of `each`. */
int accesses__release(struct accesses *a, uint64_t until_ns,
		      int (*each)(const struct access_event *event, void *context), void *context);

/* All but the ids of tables, with pages of 4 KiB. */
void accesses__to_row(const struct access_event *event, struct access_row *row);

#endif
