// SPDX-License-Identifier: MIT
#include "replay/engine/sqpoll_delay.h"

#include <errno.h>
#include <stdlib.h>

int sqpoll_delay__init(struct sqpoll_delay *p, uint32_t iodepth)
{
	*p = (struct sqpoll_delay){.capacity = iodepth,
				   .batches = calloc(iodepth, sizeof(p->batches[0]))};
	return p->batches ? 0 : -ENOMEM;
}

void sqpoll_delay__free(struct sqpoll_delay *p)
{
	free(p->batches);
}

void sqpoll_delay__submitted(struct sqpoll_delay *p, uint32_t tail, uint32_t ios, uint64_t now_ns)
{
	p->batches[(p->first + p->count++) % p->capacity] =
		(struct sqpoll_delay_batch){.tail = tail, .ios = ios, .submitted_ns = now_ns};
}

/* Both counters wrap around. */
static bool is_taken(const struct sqpoll_delay_batch *b, uint32_t head)
{
	return (int32_t)(head - b->tail) >= 0;
}

void sqpoll_delay__look(struct sqpoll_delay *p, uint32_t head, uint64_t now_ns,
			struct histogram *waited_ns)
{
	while (p->count && is_taken(&p->batches[p->first], head)) {
		const struct sqpoll_delay_batch *b = &p->batches[p->first];
		uint64_t seen_ns =
			p->looked_ns > b->submitted_ns ? p->looked_ns - b->submitted_ns : 0;

		histogram_add_many(waited_ns, seen_ns, b->ios);
		p->first = (p->first + 1) % p->capacity;
		p->count--;
	}
	p->looked_ns = now_ns;
}
