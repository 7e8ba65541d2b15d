/* SPDX-License-Identifier: MIT */
/* Counts requests by size, and bytes by the power of two of the size. */
#ifndef BLKREEL_WORKLOAD_FIGURES_SIZE_TABLE_H
#define BLKREEL_WORKLOAD_FIGURES_SIZE_TABLE_H

#include <stdint.h>
#include <uthash.h>

#include "trace/rows.h"

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

#define SIZE_OCTAVES 36 /* sizes to 2^35 bytes; larger ones count there */

/* Bytes of reads (1) and of writes (0), by the power of two that a size does not exceed. */
struct size_octaves {
	uint64_t bytes[2][SIZE_OCTAVES];
};

static inline void size_octaves_add(struct size_octaves *o, const struct io_row *row)
{
	unsigned int octave;

	if ((row->op != IO_OP_READ && row->op != IO_OP_WRITE) || row->bytes < 2)
		return;
	octave = 64u - (unsigned int)__builtin_clzll(row->bytes - 1);
	o->bytes[row->op == IO_OP_READ][octave < SIZE_OCTAVES ? octave : SIZE_OCTAVES - 1] +=
		row->bytes;
}

static inline void size_octaves_merge(struct size_octaves *into, const struct size_octaves *from)
{
	for (unsigned int op = 0; op < 2; op++)
		for (unsigned int i = 0; i < SIZE_OCTAVES; i++)
			into->bytes[op][i] += from->bytes[op][i];
}

#endif
