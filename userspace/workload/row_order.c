#include "workload/row_order.h"

#include <errno.h>
#include <stdlib.h>

struct key {
	uint64_t created_ns;
	uint64_t sequence; /* equal times keep the order in which they came */
	uint32_t slot;
};

struct row_order {
	struct io_row *rows;
	struct key *heap;
	uint32_t count;
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
	if (!o->rows || !o->heap) {
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

static void take_first(struct row_order *o, struct io_row *out)
{
	*out = o->rows[o->heap[0].slot];
	if (out->created_ns < o->last_ns) {
		o->late_rows++;
		out->created_ns = o->last_ns;
	}
	o->last_ns = out->created_ns;
}

int row_order__push(struct row_order *o, const struct io_row *row, struct io_row *out)
{
	struct key key = {.created_ns = row->created_ns, .sequence = o->sequence++};

	if (o->count < ROW_ORDER_WINDOW) {
		key.slot = o->count++;
		o->rows[key.slot] = *row;
		sift_up(o, key.slot, key);
		return 0;
	}
	if (before(&key, &o->heap[0])) {
		*out = *row;
		if (out->created_ns < o->last_ns) {
			o->late_rows++;
			out->created_ns = o->last_ns;
		}
		o->last_ns = out->created_ns;
		return 1;
	}
	take_first(o, out);
	key.slot = o->heap[0].slot;
	o->rows[key.slot] = *row;
	sift_down(o, key);
	return 1;
}

int row_order__drain(struct row_order *o, struct io_row *out)
{
	struct key last;

	if (!o->count)
		return 0;
	take_first(o, out);
	last = o->heap[--o->count];
	if (o->count)
		sift_down(o, last);
	return 1;
}

uint64_t row_order__late_rows(const struct row_order *o)
{
	return o->late_rows;
}
