// SPDX-License-Identifier: MIT
#include "explain/figures/busy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void busy_init(struct busy *b)
{
	memset(b, 0, sizeof(*b));
	b->limit = BUSY_PERIODS_MAX;
}

void busy_release(struct busy *b)
{
	free(b->periods);
	busy_init(b);
}

/* Drops the older half, so that the rest is moved once per half. */
static void retire_oldest(struct busy *b)
{
	uint32_t retired = b->count - b->count / 2;

	for (uint32_t i = 0; i < retired; i++)
		b->retired_ns += b->periods[i].to_ns - b->periods[i].from_ns;
	b->floor_ns = b->periods[retired - 1].to_ns;
	b->count -= retired;
	memmove(b->periods, b->periods + retired, b->count * sizeof(*b->periods));
}

static int make_room(struct busy *b)
{
	uint32_t allocated = b->allocated ? 2 * b->allocated : 64;
	struct busy_period *periods;

	if (b->count >= b->limit)
		retire_oldest(b);
	if (b->count < b->allocated)
		return 0;
	if (allocated > b->limit)
		allocated = b->limit;
	periods = realloc(b->periods, allocated * sizeof(*periods));
	if (!periods)
		return -ENOMEM;
	b->periods = periods;
	b->allocated = allocated;
	return 0;
}

int busy_add(struct busy *b, uint64_t from_ns, uint64_t to_ns)
{
	uint32_t above, first;
	int err;

	err = make_room(b);
	if (err)
		return err;
	if (from_ns < b->start_ns)
		from_ns = b->start_ns;
	if (from_ns < b->floor_ns && from_ns < to_ns) {
		from_ns = b->floor_ns;
		b->is_lower_bound = true;
	}
	if (from_ns >= to_ns)
		return 0;

	for (above = b->count; above && b->periods[above - 1].from_ns > to_ns; above--)
		;
	for (first = above; first && b->periods[first - 1].to_ns >= from_ns; first--)
		;
	if (first < above) {
		if (b->periods[first].from_ns < from_ns)
			from_ns = b->periods[first].from_ns;
		if (b->periods[above - 1].to_ns > to_ns)
			to_ns = b->periods[above - 1].to_ns;
	}
	memmove(b->periods + first + 1, b->periods + above,
		(b->count - above) * sizeof(*b->periods));
	b->count = b->count - above + first + 1;
	b->periods[first] = (struct busy_period){from_ns, to_ns};
	return 0;
}

uint64_t busy_total(const struct busy *b, uint64_t end_ns)
{
	uint64_t total_ns = b->retired_ns;

	for (uint32_t i = 0; i < b->count && b->periods[i].from_ns < end_ns; i++)
		total_ns += (b->periods[i].to_ns < end_ns ? b->periods[i].to_ns : end_ns) -
			    b->periods[i].from_ns;
	return total_ns;
}
