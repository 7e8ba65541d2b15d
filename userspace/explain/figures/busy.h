/* SPDX-License-Identifier: MIT */
/*
 * The union of time intervals that come nearly in the order of their ends: how long a device was
 * busy. Disjoint busy periods are kept as a sorted stack, and an interval is merged from its top.
 * Only the newest BUSY_PERIODS_MAX periods are kept. An interval that reaches back beyond them
 * (such as a request slower than that many busy periods) is counted from there on: the idle gaps
 * before it are not filled, and the result is then a lower bound and says so.
 */
#ifndef BLKREEL_EXPLAIN_FIGURES_BUSY_H
#define BLKREEL_EXPLAIN_FIGURES_BUSY_H

#include <stdbool.h>
#include <stdint.h>

#define BUSY_PERIODS_MAX 32768

struct busy_period {
	uint64_t from_ns, to_ns;
};

struct busy {
	uint64_t start_ns;	     /* what is before it is left out */
	struct busy_period *periods; /* rising and disjoint */
	uint32_t count, allocated;
	uint32_t limit;	     /* BUSY_PERIODS_MAX, or less in tests */
	uint64_t retired_ns; /* length of the periods that are no longer kept */
	uint64_t floor_ns;   /* where the last of them ended */
	bool is_lower_bound;
};

void busy_init(struct busy *b);
void busy_release(struct busy *b);

/* Adds [from_ns, to_ns]; an empty or reversed interval adds nothing. 0 or -ENOMEM. */
int busy_add(struct busy *b, uint64_t from_ns, uint64_t to_ns);

/* Length of the union before `end_ns`, in ns. */
uint64_t busy_total(const struct busy *b, uint64_t end_ns);

#endif
