// SPDX-License-Identifier: MIT
#include "replay/engine/order.h"

#include <errno.h>
#include <stdlib.h>

#include "replay/source/zones.h"

int order__init(struct order *o, uint32_t capacity, uint64_t zone_bytes)
{
	*o = (struct order){.ranges = calloc(capacity, sizeof(o->ranges[0])),
			    .zone_bytes = zone_bytes};
	return o->ranges ? 0 : -ENOMEM;
}

void order__free(struct order *o)
{
	free(o->ranges);
}

static struct order_range range_of(const struct order *o, const struct replay_io *io, uint32_t slot)
{
	struct order_range range = {.begin_bytes = io->offset_bytes,
				    .end_bytes = io->offset_bytes + io->length_bytes,
				    .slot = slot,
				    .reads = io->op == REPLAY_READ};

	if (o->zone_bytes)
		zones__widen(o->zone_bytes, &range.begin_bytes, &range.end_bytes);
	return range;
}

void order__add(struct order *o, const struct replay_io *io, uint32_t slot)
{
	o->ranges[o->count++] = range_of(o, io, slot);
}

void order__remove(struct order *o, uint32_t slot)
{
	uint32_t i = 0;

	while (i < o->count && o->ranges[i].slot != slot)
		i++;
	if (i < o->count)
		o->ranges[i] = o->ranges[--o->count];
}

bool order__overlaps(const struct order *o, const struct replay_io *io)
{
	const struct order_range own = range_of(o, io, 0);

	for (uint32_t i = 0; i < o->count; i++) {
		const struct order_range *range = &o->ranges[i];

		if (own.begin_bytes < range->end_bytes && range->begin_bytes < own.end_bytes &&
		    !(own.reads && range->reads))
			return true;
	}
	return false;
}
