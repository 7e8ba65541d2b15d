// SPDX-License-Identifier: MIT
#include "workload/lru/block_bits.h"

#include <errno.h>
#include <stdlib.h>

int block_bits_init(struct block_bits *b, uint64_t first, uint64_t count)
{
	uint64_t *words = calloc(count / 64 + 1, sizeof(*words));

	if (!words)
		return -ENOMEM;
	*b = (struct block_bits){.first = first, .count = count, .words = words};
	return 0;
}

void block_bits_release(struct block_bits *b)
{
	free(b->words);
	*b = (struct block_bits){0};
}
