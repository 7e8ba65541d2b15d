/* SPDX-License-Identifier: MIT */
/* How the bytes of a workload are divided among sizes: where large ones begin. */
#ifndef BLKREEL_WORKLOAD_FIGURES_SIZE_OCTAVES_H
#define BLKREEL_WORKLOAD_FIGURES_SIZE_OCTAVES_H

#include <stdint.h>

#include "trace/rows.h"

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
