// SPDX-License-Identifier: MIT
#include "workload/figures/depth_counter.h"

#include <errno.h>
#include <stdlib.h>

struct depth_counter {
	uint32_t count;
	uint64_t ends_ns[DEPTH_COUNTED_MAX]; /* a heap */
};

int depth_counter__create(struct depth_counter **counter)
{
	*counter = calloc(1, sizeof(**counter));
	return *counter ? 0 : -ENOMEM;
}

void depth_counter__free(struct depth_counter *c)
{
	free(c);
}

static void pop(struct depth_counter *c)
{
	uint64_t last = c->ends_ns[--c->count];
	uint32_t at = 0, child;

	while ((child = 2 * at + 1) < c->count) {
		if (child + 1 < c->count && c->ends_ns[child + 1] < c->ends_ns[child])
			child++;
		if (last <= c->ends_ns[child])
			break;
		c->ends_ns[at] = c->ends_ns[child];
		at = child;
	}
	c->ends_ns[at] = last;
}

uint32_t depth_counter__add(struct depth_counter *c, uint64_t created_ns, uint64_t completed_ns)
{
	uint32_t at;

	while (c->count && c->ends_ns[0] <= created_ns)
		pop(c);
	if (c->count == DEPTH_COUNTED_MAX)
		pop(c);
	at = c->count++;
	for (; at && completed_ns < c->ends_ns[(at - 1) / 2]; at = (at - 1) / 2)
		c->ends_ns[at] = c->ends_ns[(at - 1) / 2];
	c->ends_ns[at] = completed_ns;
	return c->count;
}
