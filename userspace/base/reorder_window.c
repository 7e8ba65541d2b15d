// SPDX-License-Identifier: MIT
#include "base/reorder_window.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Most elements come at the end of the order or pass a few others: they are inserted at the end of
 * a sorted run. What would have to pass more than this goes into a heap. The earliest element is
 * the first of the run or of the heap.
 */
#define INSERT_MAX 64u

struct key {
	uint64_t time_ns;
	uint64_t turn;	   /* decides between equal times, */
	uint64_t sequence; /* and then this */
	uint32_t place;	   /* in elements */
};

struct reorder_window {
	uint32_t capacity, count;
	uint32_t places_used; /* from the start; places that were never used are not touched */
	size_t element_bytes;
	uint64_t sequence;
	char *elements;
	uint32_t *free_places; /* a stack of places_used - count */
	struct key *run;       /* sorted; from run_head to run_tail, both taken modulo its size */
	uint32_t run_mask, run_head, run_tail;
	struct key *heap;
	uint32_t heap_count;
};

int reorder_window__create(uint32_t capacity, size_t element_bytes, struct reorder_window **window)
{
	struct reorder_window *w = calloc(1, sizeof(*w));
	size_t run_size = 1;

	if (!w)
		return -ENOMEM;
	while (run_size < capacity)
		run_size *= 2;
	w->capacity = capacity;
	w->element_bytes = element_bytes;
	w->run_mask = (uint32_t)(run_size - 1);
	w->elements = calloc(capacity, element_bytes);
	w->free_places = calloc(capacity, sizeof(w->free_places[0]));
	w->run = calloc(run_size, sizeof(w->run[0]));
	w->heap = calloc(capacity, sizeof(w->heap[0]));
	if (!w->elements || !w->free_places || !w->run || !w->heap) {
		reorder_window__free(w);
		return -ENOMEM;
	}
	*window = w;
	return 0;
}

void reorder_window__free(struct reorder_window *w)
{
	if (!w)
		return;
	free(w->elements);
	free(w->free_places);
	free(w->run);
	free(w->heap);
	free(w);
}

bool reorder_window__full(const struct reorder_window *w)
{
	return w->count == w->capacity;
}

static bool before(const struct key *a, const struct key *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	if (a->turn != b->turn)
		return a->turn < b->turn;
	return a->sequence < b->sequence;
}

static struct key *run_key(const struct reorder_window *w, uint32_t index)
{
	return &w->run[index & w->run_mask];
}

/* False: its place is too far from the end. */
static bool insert_into_run(struct reorder_window *w, const struct key *key)
{
	uint32_t at = w->run_tail, count = at - w->run_head;

	if (count && before(key, run_key(w, at - 1))) {
		if (count > INSERT_MAX && before(key, run_key(w, at - INSERT_MAX - 1)))
			return false;
		for (; at != w->run_head && before(key, run_key(w, at - 1)); at--)
			*run_key(w, at) = *run_key(w, at - 1);
	}
	*run_key(w, at) = *key;
	w->run_tail++;
	return true;
}

static void push_into_heap(struct reorder_window *w, const struct key *key)
{
	uint32_t at = w->heap_count++;

	for (; at && before(key, &w->heap[(at - 1) / 2]); at = (at - 1) / 2)
		w->heap[at] = w->heap[(at - 1) / 2];
	w->heap[at] = *key;
}

static void pop_from_heap(struct reorder_window *w)
{
	struct key last = w->heap[--w->heap_count];
	uint32_t at = 0, child;

	while ((child = 2 * at + 1) < w->heap_count) {
		if (child + 1 < w->heap_count && before(&w->heap[child + 1], &w->heap[child]))
			child++;
		if (!before(&w->heap[child], &last))
			break;
		w->heap[at] = w->heap[child];
		at = child;
	}
	w->heap[at] = last;
}

/* Not of an empty window. */
static const struct key *first_key(const struct reorder_window *w)
{
	const struct key *run = run_key(w, w->run_head);

	if (w->run_head == w->run_tail)
		return &w->heap[0];
	return w->heap_count && before(&w->heap[0], run) ? &w->heap[0] : run;
}

static void *element_at(const struct reorder_window *w, uint32_t place)
{
	return w->elements + place * w->element_bytes;
}

void *reorder_window__push(struct reorder_window *w, uint64_t time_ns, uint64_t turn)
{
	uint32_t free_count = w->places_used - w->count;
	struct key key = {.time_ns = time_ns,
			  .turn = turn,
			  .sequence = w->sequence++,
			  .place = free_count ? w->free_places[free_count - 1] : w->places_used++};

	w->count++;
	if (!insert_into_run(w, &key))
		push_into_heap(w, &key);
	return element_at(w, key.place);
}

const void *reorder_window__first(const struct reorder_window *w, uint64_t *time_ns)
{
	const struct key *key;

	if (!w->count)
		return NULL;
	key = first_key(w);
	*time_ns = key->time_ns;
	return element_at(w, key->place);
}

const void *reorder_window__pop(struct reorder_window *w)
{
	const struct key *key;
	uint32_t place;

	if (!w->count)
		return NULL;
	key = first_key(w);
	place = key->place;
	if (key == &w->heap[0])
		pop_from_heap(w);
	else
		w->run_head++;
	w->free_places[w->places_used - w->count--] = place;
	return element_at(w, place);
}
