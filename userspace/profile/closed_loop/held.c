// SPDX-License-Identifier: MIT
#include "profile/closed_loop/held.h"

#include <errno.h>
#include <stdlib.h>

int closed_held_init(struct closed_held *h)
{
	*h = (struct closed_held){
		.rows = calloc(CLOSED_HELD_MAX, sizeof(*h->rows)),
		.completed_ns = calloc(CLOSED_HELD_MAX, sizeof(*h->completed_ns)),
	};
	if (h->rows && h->completed_ns)
		return 0;
	closed_held_release(h);
	return -ENOMEM;
}

void closed_held_release(struct closed_held *h)
{
	free(h->rows);
	free(h->completed_ns);
	*h = (struct closed_held){0};
}

void closed_held_add(struct closed_held *h, const struct closed_row *row)
{
	h->rows[h->tail % CLOSED_HELD_MAX] = *row;
	h->completed_ns[h->tail % CLOSED_HELD_MAX] = 0;
	h->tail++;
}

void closed_held_decide(struct closed_held *h, uint64_t number, uint64_t latency_ns)
{
	if (!closed_held_is_decided(h, number))
		h->completed_ns[number % CLOSED_HELD_MAX] =
			closed_held_row(h, number)->created_ns + (latency_ns ? latency_ns : 1);
}

void closed_held_take(struct closed_held *h, struct closed_row *row)
{
	*row = h->rows[h->head % CLOSED_HELD_MAX];
	row->row.completed_ns = h->completed_ns[h->head % CLOSED_HELD_MAX];
	h->head++;
}
