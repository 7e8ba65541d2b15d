/* SPDX-License-Identifier: MIT */
/* Counts requests by size. */
#ifndef BLKREEL_WORKLOAD_FIGURES_SIZE_TABLE_H
#define BLKREEL_WORKLOAD_FIGURES_SIZE_TABLE_H

#include <stdint.h>
#include <uthash.h>

/* Beyond SIZE_TABLE_MAX sizes, new sizes are rounded down to seven significant bits. */
#define SIZE_TABLE_MAX	  16384
#define SIZE_TABLE_RECENT 64

struct size_entry {
	uint64_t bytes;
	uint64_t ios;
	UT_hash_handle hh;
};

struct size_table {
	struct size_entry *entries;
	uint64_t ios;
	struct size_entry *recent[SIZE_TABLE_RECENT]; /* by sectors, to avoid most look-ups */
};

int size_table_add(struct size_table *t, uint64_t bytes, uint64_t ios); /* 0 or -ENOMEM */
void size_table_release(struct size_table *t);

/* Total variation distance of two tables: 0: the same mix of sizes, 1: no size in common. */
double size_table_distance(const struct size_table *a, const struct size_table *b);

#endif
