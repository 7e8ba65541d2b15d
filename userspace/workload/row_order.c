// SPDX-License-Identifier: MIT
#include "workload/row_order.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

struct key {
	uint64_t created_ns;
	uint64_t sequence; /* equal times keep the order in which they came */
	uint32_t slot;
};

#define RING_STEPS 64 /* a row that is not much too late is put into its place */

struct row_order {
	struct io_row *rows;
	struct key *ring; /* in order, from `head` on; most rows come nearly in order */
	uint32_t head, ring_count;
	struct key *heap; /* the others */
	uint32_t count;	  /* in the heap */
	uint64_t sequence;
	uint64_t last_ns;
	uint64_t late_rows;
};

int row_order__create(struct row_order **order)
{
	struct row_order *o = calloc(1, sizeof(*o));

	if (!o)
		return -ENOMEM;
	o->rows = malloc(ROW_ORDER_WINDOW * sizeof(*o->rows));
	o->heap = malloc(ROW_ORDER_WINDOW * sizeof(*o->heap));
	o->ring = malloc(ROW_ORDER_WINDOW * sizeof(*o->ring));
	if (!o->rows || !o->heap || !o->ring) {
		row_order__free(o);
		return -ENOMEM;
	}
	*order = o;
	return 0;
}

void row_order__free(struct row_order *o)
{
	if (!o)
		return;
	free(o->rows);
	free(o->heap);
	free(o->ring);
	free(o);
}

static int before(const struct key *a, const struct key *b)
{
	if (a->created_ns != b->created_ns)
		return a->created_ns < b->created_ns;
	return a->sequence < b->sequence;
}

static void sift_up(struct row_order *o, uint32_t at, struct key key)
{
	while (at && before(&key, &o->heap[(at - 1) / 2])) {
		o->heap[at] = o->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	o->heap[at] = key;
}

static void sift_down(struct row_order *o, struct key key)
{
	uint32_t at = 0;

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= o->count)
			break;
		if (child + 1 < o->count && before(&o->heap[child + 1], &o->heap[child]))
			child++;
		if (!before(&o->heap[child], &key))
			break;
		o->heap[at] = o->heap[child];
		at = child;
	}
	o->heap[at] = key;
}

static struct key *ring_at(const struct row_order *o, uint32_t index)
{
	return &o->ring[(o->head + index) % ROW_ORDER_WINDOW];
}

static void keep(struct row_order *o, struct key key)
{
	uint32_t at = o->ring_count, least = at > RING_STEPS ? at - RING_STEPS : 0;

	while (at > least && before(&key, ring_at(o, at - 1)))
		at--;
	if (at && before(&key, ring_at(o, at - 1))) {
		sift_up(o, o->count++, key);
		return;
	}
	for (uint32_t i = o->ring_count; i > at; i--)
		*ring_at(o, i) = *ring_at(o, i - 1);
	*ring_at(o, at) = key;
	o->ring_count++;
}

/* The earliest of those that are held back, of which there is at least one. */
static const struct key *first(const struct row_order *o)
{
	if (!o->ring_count)
		return &o->heap[0];
	if (!o->count || before(ring_at(o, 0), &o->heap[0]))
		return ring_at(o, 0);
	return &o->heap[0];
}

static void give(struct row_order *o, const struct io_row *row, struct io_row *out)
{
	*out = *row;
	if (out->created_ns < o->last_ns) {
		o->late_rows++;
		out->created_ns = o->last_ns;
	}
	o->last_ns = out->created_ns;
}

/* Gives the first and returns its slot. */
static uint32_t take_first(struct row_order *o, struct io_row *out)
{
	const struct key *key = first(o);
	uint32_t slot = key->slot;
	struct key last;

	give(o, &o->rows[slot], out);
	if (o->ring_count && key == ring_at(o, 0)) {
		o->head = (o->head + 1) % ROW_ORDER_WINDOW;
		o->ring_count--;
		return slot;
	}
	last = o->heap[--o->count];
	if (o->count)
		sift_down(o, last);
	return slot;
}

int row_order__push(struct row_order *o, const struct io_row *row, struct io_row *out)
{
	struct key key = {.created_ns = row->created_ns, .sequence = o->sequence++};
	bool full = o->count + o->ring_count == ROW_ORDER_WINDOW;

	if (full && before(&key, first(o))) {
		give(o, row, out);
		return 1;
	}
	key.slot = full ? take_first(o, out) : o->count + o->ring_count;
	o->rows[key.slot] = *row;
	keep(o, key);
	return full;
}

int row_order__drain(struct row_order *o, struct io_row *out)
{
	if (!o->count && !o->ring_count)
		return 0;
	take_first(o, out);
	return 1;
}

uint64_t row_order__late_rows(const struct row_order *o)
{
	return o->late_rows;
}
