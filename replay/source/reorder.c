// SPDX-License-Identifier: MIT
#include "replay/source/reorder.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Rows come nearly in order: each was in flight with some others, and passes those. So they are
 * inserted at the end of a sorted run; what would have to pass more than this goes to a heap.
 */
#define INSERT_MAX 64u

/* Small, for the heap and the run move them; the IOs stay where they are. */
struct key {
	uint64_t due_ns;
	uint64_t arrival;
	uint32_t place; /* in ios */
};

struct reorder {
	unsigned int capacity, count;
	uint64_t arrivals;
	uint64_t last_due_ns;
	uint64_t out_of_order;
	struct replay_io *ios;
	uint32_t *free_places; /* a stack of capacity - count */
	struct key *run;       /* sorted; from run_head to run_tail, both taken modulo its size */
	uint32_t run_mask, run_head, run_tail;
	struct key *heap;
	unsigned int heap_count;
};

int reorder__create(unsigned int capacity, struct reorder **reorder)
{
	struct reorder *r = calloc(1, sizeof(*r));
	uint32_t run_size = 1;

	if (!r)
		return -ENOMEM;
	while (run_size < capacity)
		run_size *= 2;
	r->capacity = capacity;
	r->run_mask = run_size - 1;
	r->ios = calloc(capacity, sizeof(r->ios[0]));
	r->free_places = calloc(capacity, sizeof(r->free_places[0]));
	r->run = calloc(run_size, sizeof(r->run[0]));
	r->heap = calloc(capacity, sizeof(r->heap[0]));
	if (!r->ios || !r->free_places || !r->run || !r->heap) {
		reorder__free(r);
		return -ENOMEM;
	}
	for (unsigned int i = 0; i < capacity; i++)
		r->free_places[i] = capacity - 1 - i;
	*reorder = r;
	return 0;
}

void reorder__free(struct reorder *r)
{
	if (!r)
		return;
	free(r->ios);
	free(r->free_places);
	free(r->run);
	free(r->heap);
	free(r);
}

bool reorder__full(const struct reorder *r)
{
	return r->count == r->capacity;
}

bool reorder__empty(const struct reorder *r)
{
	return !r->count;
}

uint64_t reorder__out_of_order(const struct reorder *r)
{
	return r->out_of_order;
}

static bool before(const struct key *a, const struct key *b)
{
	if (a->due_ns != b->due_ns)
		return a->due_ns < b->due_ns;
	return a->arrival < b->arrival;
}

static struct key *run_key(struct reorder *r, uint32_t index)
{
	return &r->run[index & r->run_mask];
}

/* False: it is too far from the end. */
static bool insert_into_run(struct reorder *r, const struct key *key)
{
	uint32_t at = r->run_tail;

	if (at - r->run_head > INSERT_MAX && before(key, run_key(r, at - INSERT_MAX - 1)))
		return false;
	for (; at != r->run_head && before(key, run_key(r, at - 1)); at--)
		*run_key(r, at) = *run_key(r, at - 1);
	*run_key(r, at) = *key;
	r->run_tail++;
	return true;
}

static void push_into_heap(struct reorder *r, const struct key *key)
{
	unsigned int at = r->heap_count++;

	for (; at && before(key, &r->heap[(at - 1) / 2]); at = (at - 1) / 2)
		r->heap[at] = r->heap[(at - 1) / 2];
	r->heap[at] = *key;
}

static void sift_down(struct reorder *r, const struct key *key)
{
	unsigned int at = 0, child;

	while ((child = 2 * at + 1) < r->heap_count) {
		if (child + 1 < r->heap_count && before(&r->heap[child + 1], &r->heap[child]))
			child++;
		if (!before(&r->heap[child], key))
			break;
		r->heap[at] = r->heap[child];
		at = child;
	}
	r->heap[at] = *key;
}

static struct key pop_from_heap(struct reorder *r)
{
	struct key first = r->heap[0], last = r->heap[--r->heap_count];

	if (r->heap_count)
		sift_down(r, &last);
	return first;
}

void reorder__push(struct reorder *r, const struct replay_io *io)
{
	struct key key = {.due_ns = io->due_ns,
			  .arrival = r->arrivals++,
			  .place = r->free_places[r->capacity - ++r->count]};

	r->ios[key.place] = *io;
	if (!insert_into_run(r, &key))
		push_into_heap(r, &key);
}

void reorder__pop(struct reorder *r, struct replay_io *io)
{
	bool has_run = r->run_head != r->run_tail;
	struct key first;

	if (has_run && (!r->heap_count || before(run_key(r, r->run_head), &r->heap[0])))
		first = *run_key(r, r->run_head++);
	else
		first = pop_from_heap(r);
	*io = r->ios[first.place];
	r->free_places[r->capacity - r->count--] = first.place;
	if (io->due_ns < r->last_due_ns)
		r->out_of_order++;
	else
		r->last_due_ns = io->due_ns;
}
