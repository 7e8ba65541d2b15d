/* SPDX-License-Identifier: MIT */
/*
 * Compares two lists of IOs, IO by IO: which IOs have a partner in the other list, in what the
 * others differ, and whether overlapping IOs come in the same order. Pure; times are not compared.
 */
#ifndef BLKREEL_COMPARE_EXACT_H
#define BLKREEL_COMPARE_EXACT_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/rows.h"

/*
 * One IO as a program can request it: a request that flushes the cache and then writes counts as
 * two.
 */
struct exact_io {
	uint64_t offset_bytes, length_bytes; /* 0, 0 for a flush */
	uint32_t place;			     /* in its list, by time of creation */
	uint8_t op;			     /* enum io_op */
	uint8_t fua, atomic;
	uint16_t ioprio; /* of a read or write, ioprio_effective(); else 0 */
};

struct exact_list {
	struct exact_io *items;
	uint32_t count, capacity;
};

/* Requests in order of creation. 0; -ENOMEM; -EFBIG: over 2^31 of them. */
int exact_list__add(struct exact_list *list, const struct io_row *row);
void exact_list__free(struct exact_list *list);

enum exact_kind {
	EXACT_OP = 0,	/* same place and size, another operation */
	EXACT_FLAGS,	/* the same except for FUA or RWF_ATOMIC */
	EXACT_PRIORITY, /* the same except for the IO priority of a read or write */
	EXACT_SIZE,	/* same operation and place, another size */
	EXACT_ORDER,	/* comes after an IO that it overlaps and came before in A */
	EXACT_MISSING,	/* only in A */
	EXACT_ADDED,	/* only in B */
	EXACT_KINDS,
};

#define EXACT_EXAMPLES 8

struct exact_example {
	enum exact_kind kind;
	struct exact_io a, b; /* `a` is not set for EXACT_ADDED, `b` not for EXACT_MISSING */
};

struct exact_differences {
	uint64_t a_ios, b_ios;
	uint64_t counts[EXACT_KINDS]; /* an IO counts in at most one, and in EXACT_ORDER */
	unsigned int example_count;
	struct exact_example examples[EXACT_EXAMPLES];
};

/* Sorts both lists again. 0 or -ENOMEM. */
int exact_compare(struct exact_list *a, struct exact_list *b, struct exact_differences *d);

uint64_t exact_differences__total(const struct exact_differences *d);

const char *exact_kind_name(enum exact_kind kind); /* "op", ... */

#endif
