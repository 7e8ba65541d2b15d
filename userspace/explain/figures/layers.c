// SPDX-License-Identifier: MIT
#include "explain/figures/layers.h"

#include <errno.h>
#include <stdlib.h>

#include <uthash.h>

struct span {
	uint64_t parent_id;
	uint64_t first_ns, last_ns;
	UT_hash_handle hh;
};

struct layers {
	struct span *spans;
};

struct layers *layers__new(void)
{
	return calloc(1, sizeof(struct layers));
}

static void forget(struct layers *l, struct span *span)
{
	HASH_DEL(l->spans, span);
	free(span);
}

void layers__free(struct layers *l)
{
	while (l && l->spans)
		forget(l, l->spans);
	free(l);
}

int layers__add(struct layers *l, const struct io_row *row)
{
	struct span *span;

	if (!row->parent_id || !row->created_ns || !row->completed_ns)
		return 0;
	HASH_FIND(hh, l->spans, &row->parent_id, sizeof(row->parent_id), span);
	if (!span) {
		/* The head is the oldest. */
		if (HASH_COUNT(l->spans) == LAYERS_WAITING_MAX)
			forget(l, l->spans);
		span = calloc(1, sizeof(*span));
		if (!span)
			return -ENOMEM;
		span->parent_id = row->parent_id;
		span->first_ns = row->created_ns;
		HASH_ADD(hh, l->spans, parent_id, sizeof(span->parent_id), span);
	}
	if (row->created_ns < span->first_ns)
		span->first_ns = row->created_ns;
	if (row->completed_ns > span->last_ns)
		span->last_ns = row->completed_ns;
	return 0;
}

bool layers__below_ns(struct layers *l, const struct io_row *row, uint64_t *below_ns)
{
	uint64_t first_ns, last_ns;
	struct span *span = NULL;

	if (row->id)
		HASH_FIND(hh, l->spans, &row->id, sizeof(row->id), span);
	if (!span)
		return false;
	first_ns = span->first_ns > row->created_ns ? span->first_ns : row->created_ns;
	last_ns = span->last_ns < row->completed_ns ? span->last_ns : row->completed_ns;
	forget(l, span);
	*below_ns = last_ns > first_ns ? last_ns - first_ns : 0;
	return row->created_ns && row->completed_ns;
}
