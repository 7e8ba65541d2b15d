// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "exchange/events/block_heap.h"

struct entry {
	uint64_t order;
	struct block_event event;
	uint32_t mark;
};

struct block_heap {
	uint32_t used, size;
	struct entry entries[];
};

struct block_heap *block_heap__new(uint32_t events)
{
	struct block_heap *h = calloc(1, sizeof(*h) + events * sizeof(h->entries[0]));

	if (h)
		h->size = events;
	return h;
}

void block_heap__free(struct block_heap *h)
{
	free(h);
}

bool block_heap__full(const struct block_heap *h)
{
	return h->used == h->size;
}

static bool is_before(const struct entry *a, const struct entry *b)
{
	if (a->event.time_ns != b->event.time_ns)
		return a->event.time_ns < b->event.time_ns;
	return a->order < b->order;
}

void block_heap__push(struct block_heap *h, const struct block_event *event, uint64_t order,
		      uint32_t mark)
{
	struct entry added = {order, *event, mark};
	uint32_t at = h->used++;

	while (at && is_before(&added, &h->entries[(at - 1) / 2])) {
		h->entries[at] = h->entries[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	h->entries[at] = added;
}

bool block_heap__pop(struct block_heap *h, struct block_event *event, uint32_t *mark)
{
	const struct entry *moved;
	uint32_t at = 0, child;

	if (!h->used)
		return false;
	*event = h->entries[0].event;
	if (mark)
		*mark = h->entries[0].mark;
	moved = &h->entries[--h->used];
	while ((child = 2 * at + 1) < h->used) {
		if (child + 1 < h->used && is_before(&h->entries[child + 1], &h->entries[child]))
			child++;
		if (!is_before(&h->entries[child], moved))
			break;
		h->entries[at] = h->entries[child];
		at = child;
	}
	h->entries[at] = *moved;
	return true;
}
