// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "exchange/foreign_output.h"
#include "exchange/time_order.h"

/* A row that came late, with what decides between equal times. */
struct late {
	uint64_t time_ns, sequence;
	struct io_row row;
};

/*
 * Two sorted sources: a queue of the rows that came in order, and a heap of those that did not. The
 * next row is the smaller of their firsts, and nothing is ever moved for a trace that is in order.
 */
struct time_order {
	struct io_row *queue; /* a ring */
	uint64_t *sequence;   /* of each row in the queue */
	uint32_t head, queued;
	struct late *heap;
	uint32_t late;
	uint64_t pushed;
	uint64_t newest_ns;
	uint64_t disordered, disorder_ns;
	struct io_row popped;
};

struct time_order *time_order__new(void)
{
	struct time_order *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->queue = malloc(TIME_ORDER_ROWS * sizeof(*t->queue));
	t->sequence = malloc(TIME_ORDER_ROWS * sizeof(*t->sequence));
	t->heap = malloc(TIME_ORDER_ROWS * sizeof(*t->heap));
	if (!t->queue || !t->sequence || !t->heap) {
		time_order__free(t);
		return NULL;
	}
	return t;
}

void time_order__free(struct time_order *t)
{
	if (!t)
		return;
	free(t->queue);
	free(t->sequence);
	free(t->heap);
	free(t);
}

bool time_order__full(const struct time_order *t)
{
	return t->queued + t->late == TIME_ORDER_ROWS;
}

static bool is_before(const struct late *a, const struct late *b)
{
	return a->time_ns < b->time_ns || (a->time_ns == b->time_ns && a->sequence < b->sequence);
}

static void heap_push(struct time_order *t, const struct late *late)
{
	uint32_t at = t->late++;

	while (at && is_before(late, &t->heap[(at - 1) / 2])) {
		t->heap[at] = t->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	t->heap[at] = *late;
}

static void heap_pop(struct time_order *t)
{
	struct late moved = t->heap[--t->late];
	uint32_t at = 0, child;

	while ((child = 2 * at + 1) < t->late) {
		if (child + 1 < t->late && is_before(&t->heap[child + 1], &t->heap[child]))
			child++;
		if (!is_before(&t->heap[child], &moved))
			break;
		t->heap[at] = t->heap[child];
		at = child;
	}
	t->heap[at] = moved;
}

void time_order__push(struct time_order *t, const struct io_row *row)
{
	uint64_t time_ns = foreign_row_time_ns(row);
	uint32_t at = (t->head + t->queued) % TIME_ORDER_ROWS;

	if (time_ns < t->newest_ns) {
		struct late late = {time_ns, t->pushed++, *row};

		heap_push(t, &late);
		t->disordered++;
		if (t->newest_ns - time_ns > t->disorder_ns)
			t->disorder_ns = t->newest_ns - time_ns;
		return;
	}
	t->newest_ns = time_ns;
	t->queue[at] = *row;
	t->sequence[at] = t->pushed++;
	t->queued++;
}

static bool late_is_first(const struct time_order *t)
{
	struct late queued;

	if (!t->queued || !t->late)
		return t->late;
	queued.time_ns = foreign_row_time_ns(&t->queue[t->head]);
	queued.sequence = t->sequence[t->head];
	return is_before(&t->heap[0], &queued);
}

const struct io_row *time_order__pop(struct time_order *t)
{
	const struct io_row *row;

	if (!t->queued && !t->late)
		return NULL;
	if (late_is_first(t)) {
		t->popped = t->heap[0].row;
		heap_pop(t);
		return &t->popped;
	}
	row = &t->queue[t->head];
	t->head = (t->head + 1) % TIME_ORDER_ROWS;
	t->queued--;
	return row;
}

uint64_t time_order__disordered(const struct time_order *t)
{
	return t->disordered;
}

uint64_t time_order__disorder_ns(const struct time_order *t)
{
	return t->disorder_ns;
}
