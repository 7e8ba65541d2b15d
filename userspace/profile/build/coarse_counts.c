// SPDX-License-Identifier: MIT
#include "profile/build/coarse_counts.h"

#include <errno.h>
#include <stdlib.h>

int coarse_counts_init(struct coarse_counts *c, uint32_t windows, uint32_t split_levels)
{
	*c = (struct coarse_counts){.windows = windows};
	coarse_counts_set_split_levels(c, split_levels);
	c->all = calloc((uint64_t)windows << c->level, sizeof(*c->all));
	c->reads = calloc((uint64_t)windows << c->level, sizeof(*c->reads));
	return c->all && c->reads ? 0 : -ENOMEM;
}

void coarse_counts_set_split_levels(struct coarse_counts *c, uint32_t split_levels)
{
	c->level = 0;
	while (c->level < split_levels &&
	       (uint64_t)c->windows << (c->level + 1) <= COARSE_PARTS_MAX)
		c->level++;
}

void coarse_counts_release(struct coarse_counts *c)
{
	free(c->all);
	free(c->reads);
}
