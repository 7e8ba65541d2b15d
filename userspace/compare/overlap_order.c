// SPDX-License-Identifier: MIT
#include "compare/overlap_order.h"

#include <errno.h>
#include <stdlib.h>

/* A segment tree over the pieces between neighbouring bounds. Ranks are stored plus 1; 0: none. */
struct node {
	uint64_t highest; /* of all ranges that touch its pieces */
	uint64_t whole;	  /* of those that cover all of them */
};

struct overlap_order {
	uint64_t *bounds;
	uint64_t count, capacity;
	struct node *nodes; /* node n has the children 2n and 2n + 1; the root is 1 */
};

int overlap_order__create(struct overlap_order **order)
{
	*order = calloc(1, sizeof(**order));
	return *order ? 0 : -ENOMEM;
}

void overlap_order__free(struct overlap_order *o)
{
	if (!o)
		return;
	free(o->bounds);
	free(o->nodes);
	free(o);
}

static uint64_t end_of(uint64_t offset_bytes, uint64_t length_bytes)
{
	uint64_t end_bytes;

	return __builtin_add_overflow(offset_bytes, length_bytes, &end_bytes) ? UINT64_MAX
									      : end_bytes;
}

int overlap_order__reserve(struct overlap_order *o, uint64_t offset_bytes, uint64_t length_bytes)
{
	if (o->count + 2 > o->capacity) {
		uint64_t capacity = o->capacity ? 2 * o->capacity : 1024;
		uint64_t *bounds = realloc(o->bounds, capacity * sizeof(*bounds));

		if (!bounds)
			return -ENOMEM;
		o->bounds = bounds;
		o->capacity = capacity;
	}
	o->bounds[o->count++] = offset_bytes;
	o->bounds[o->count++] = end_of(offset_bytes, length_bytes);
	return 0;
}

static int by_value(const void *a, const void *b)
{
	uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;

	return (first > second) - (first < second);
}

int overlap_order__begin(struct overlap_order *o)
{
	uint64_t kept = 0;

	if (!o->count)
		return 0;
	qsort(o->bounds, o->count, sizeof(o->bounds[0]), by_value);
	for (uint64_t i = 1; i < o->count; i++)
		if (o->bounds[i] != o->bounds[kept])
			o->bounds[++kept] = o->bounds[i];
	o->count = kept + 1;
	o->nodes = calloc(4 * o->count, sizeof(o->nodes[0]));
	return o->nodes ? 0 : -ENOMEM;
}

static uint64_t place_of(const struct overlap_order *o, uint64_t bound)
{
	uint64_t low = 0, high = o->count - 1;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (o->bounds[middle] < bound)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The highest rank in the pieces [from, to), of which node n has [first, end); then adds one. */
static uint64_t raise_ranks(struct overlap_order *o, uint64_t n, uint64_t first, uint64_t end,
			    uint64_t from, uint64_t to, uint64_t rank)
{
	struct node *node = &o->nodes[n];
	uint64_t middle = first + (end - first) / 2, highest = node->whole, below;

	if (from <= first && end <= to) {
		highest = node->highest;
		node->whole = rank > node->whole ? rank : node->whole;
	} else {
		if (from < middle) {
			below = raise_ranks(o, 2 * n, first, middle, from, to, rank);
			highest = below > highest ? below : highest;
		}
		if (to > middle) {
			below = raise_ranks(o, 2 * n + 1, middle, end, from, to, rank);
			highest = below > highest ? below : highest;
		}
	}
	node->highest = rank > node->highest ? rank : node->highest;
	return highest;
}

bool overlap_order__add(struct overlap_order *o, uint64_t offset_bytes, uint64_t length_bytes,
			uint32_t rank)
{
	uint64_t from = place_of(o, offset_bytes);
	uint64_t to = place_of(o, end_of(offset_bytes, length_bytes));

	if (from >= to)
		return false;
	return raise_ranks(o, 1, 0, o->count - 1, from, to, rank + 1ull) > rank + 1ull;
}
