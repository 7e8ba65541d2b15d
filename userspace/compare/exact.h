/* SPDX-License-Identifier: MIT */
/*
 * Two lists of IOs, IO by IO: which have a partner on the other side, in what the others differ,
 * and whether IOs that overlap come in the same order. Pure; times are not looked at.
 */
#ifndef BLKREEL_COMPARE_EXACT_H
#define BLKREEL_COMPARE_EXACT_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/rows.h"

/*
 * One IO as somebody outside of the kernel can ask for it: a request that flushes the cache and
 * then writes is two of them.
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
	EXACT_OP = 0,	/* at the same place and as long, but another op */
	EXACT_FLAGS,	/* the same, but for FUA or RWF_ATOMIC */
	EXACT_PRIORITY, /* the same, but for the IO priority of a read or write */
	EXACT_SIZE,	/* the same op at the same place, but not as long */
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
	uint64_t counts[EXACT_KINDS]; /* an IO is in at most one, but for EXACT_ORDER */
	unsigned int example_count;
	struct exact_example examples[EXACT_EXAMPLES];
};

/* Sorts both lists anew. 0 or -ENOMEM. */
int exact_compare(struct exact_list *a, struct exact_list *b, struct exact_differences *d);

uint64_t exact_differences__total(const struct exact_differences *d);

const char *exact_kind_name(enum exact_kind kind); /* "op", ... */

#endif
