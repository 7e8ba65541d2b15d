/* SPDX-License-Identifier: MIT */
/*
 * What tasks waited for: ties each sleep to its call and to the IO that ended it, and sums by task,
 * call and cause. Rows come mostly, not strictly, in the order of their ends: a call is held until
 * the IOs around it have come.
 */
#ifndef BLKREEL_EXPLAIN_WAITS_ACCOUNT_H
#define BLKREEL_EXPLAIN_WAITS_ACCOUNT_H

#include "explain/waits/writers.h"

struct wait_account;

/* `takes` names the devices whose waits count; NULL: all. `writers` must outlive it. NULL: no memory. */
struct wait_account *wait_account__new(const struct explain_tables *tables, struct writers *writers,
				       explain_takes_fn *takes, const void *context);
void wait_account__free(struct wait_account *a); /* NULL is allowed */

/* As explainer__join_hosts(). */
void wait_account__join_hosts(struct wait_account *a);

/* Leaves out what is after `end_ns`. Before the first row. */
void wait_account__end_at(struct wait_account *a, uint64_t end_ns);

/* 0 or -ENOMEM. */
int wait_account__add_io(struct wait_account *a, const struct io_row *row);
int wait_account__add(struct wait_account *a, const struct wait_row *row);

/* Fills x->waits; its tiers must be complete. 0 or -ENOMEM. */
int wait_account__finish(struct wait_account *a, struct explanation *x);

#endif
