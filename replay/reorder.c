#include "replay/reorder.h"

#include <errno.h>
#include <stdlib.h>

struct entry {
	struct replay_io io;
	uint64_t arrival;
};

struct reorder {
	unsigned int capacity, count;
	uint64_t arrivals;
	uint64_t last_due_ns;
	uint64_t out_of_order;
	struct entry entries[];
};

int reorder__create(unsigned int capacity, struct reorder **reorder)
{
	struct reorder *r = calloc(1, sizeof(*r) + capacity * sizeof(r->entries[0]));

	if (!r)
		return -ENOMEM;
	r->capacity = capacity;
	*reorder = r;
	return 0;
}

void reorder__free(struct reorder *r)
{
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

static bool before(const struct entry *a, const struct entry *b)
{
	if (a->io.due_ns != b->io.due_ns)
		return a->io.due_ns < b->io.due_ns;
	return a->arrival < b->arrival;
}

void reorder__push(struct reorder *r, const struct replay_io *io)
{
	struct entry entry = {.io = *io, .arrival = r->arrivals++};
	unsigned int at = r->count++;

	for (; at && before(&entry, &r->entries[(at - 1) / 2]); at = (at - 1) / 2)
		r->entries[at] = r->entries[(at - 1) / 2];
	r->entries[at] = entry;
}

static void sift_down(struct reorder *r, const struct entry *entry)
{
	unsigned int at = 0, child;

	while ((child = 2 * at + 1) < r->count) {
		if (child + 1 < r->count && before(&r->entries[child + 1], &r->entries[child]))
			child++;
		if (!before(&r->entries[child], entry))
			break;
		r->entries[at] = r->entries[child];
		at = child;
	}
	r->entries[at] = *entry;
}

void reorder__pop(struct reorder *r, struct replay_io *io)
{
	struct entry last;

	*io = r->entries[0].io;
	last = r->entries[--r->count];
	if (r->count)
		sift_down(r, &last);
	if (io->due_ns < r->last_due_ns)
		r->out_of_order++;
	else
		r->last_due_ns = io->due_ns;
}
