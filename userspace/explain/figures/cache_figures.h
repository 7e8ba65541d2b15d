/* SPDX-License-Identifier: MIT */
/* The figures of the page cache in an explanation. */
#ifndef BLKREEL_EXPLAIN_FIGURES_CACHE_FIGURES_H
#define BLKREEL_EXPLAIN_FIGURES_CACHE_FIGURES_H

#include "explain/figures/cache_pairs.h"
#include "explain/figures/labels.h"

/* Adds a row; `file` and `task` are those of the row, NULL: not known. */
void cache_figures__add(struct explain_cache *c, const struct cache_row *row,
			const struct trace_file *file, const struct trace_task *task);

/* What follows from the sums and the tiers of x, which must be complete. */
void cache_figures__finish(struct explanation *x);

/* Who evicted pages of others, and who dropped pages that were read again: x->eviction, x->dropping. 0 or -ENOMEM. */
int cache_figures__name_pairs(struct explanation *x, struct cache_pairs *pairs,
			      const struct explain_tables *tables);

#endif
