#include "replay/reorder.h"

#include <errno.h>
#include <stdlib.h>

/* Small, for the heap moves them; the IOs stay where they are. */
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
	struct key keys[]; /* a heap of `count`; behind it those of free places */
};

int reorder__create(unsigned int capacity, struct reorder **reorder)
{
	struct reorder *r = calloc(1, sizeof(*r) + capacity * sizeof(r->keys[0]));

	if (!r)
		return -ENOMEM;
	r->ios = calloc(capacity, sizeof(r->ios[0]));
	if (!r->ios) {
		free(r);
		return -ENOMEM;
	}
	r->capacity = capacity;
	for (unsigned int i = 0; i < capacity; i++)
		r->keys[i].place = i;
	*reorder = r;
	return 0;
}

void reorder__free(struct reorder *r)
{
	if (!r)
		return;
	free(r->ios);
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

void reorder__push(struct reorder *r, const struct replay_io *io)
{
	unsigned int at = r->count++;
	struct key key = {
		.due_ns = io->due_ns, .arrival = r->arrivals++, .place = r->keys[at].place};

	r->ios[key.place] = *io;
	for (; at && before(&key, &r->keys[(at - 1) / 2]); at = (at - 1) / 2)
		r->keys[at] = r->keys[(at - 1) / 2];
	r->keys[at] = key;
}

static void sift_down(struct reorder *r, const struct key *key)
{
	unsigned int at = 0, child;

	while ((child = 2 * at + 1) < r->count) {
		if (child + 1 < r->count && before(&r->keys[child + 1], &r->keys[child]))
			child++;
		if (!before(&r->keys[child], key))
			break;
		r->keys[at] = r->keys[child];
		at = child;
	}
	r->keys[at] = *key;
}

void reorder__pop(struct reorder *r, struct replay_io *io)
{
	uint32_t place = r->keys[0].place;
	struct key last;

	*io = r->ios[place];
	last = r->keys[--r->count];
	if (r->count)
		sift_down(r, &last);
	r->keys[r->count].place = place;
	if (io->due_ns < r->last_due_ns)
		r->out_of_order++;
	else
		r->last_due_ns = io->due_ns;
}
