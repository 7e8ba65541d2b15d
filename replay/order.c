#include "replay/order.h"

#include <errno.h>
#include <stdlib.h>

int order__init(struct order *o, uint32_t capacity)
{
	*o = (struct order){.ranges = calloc(capacity, sizeof(o->ranges[0]))};
	return o->ranges ? 0 : -ENOMEM;
}

void order__free(struct order *o)
{
	free(o->ranges);
}

void order__add(struct order *o, const struct replay_io *io, uint32_t slot)
{
	o->ranges[o->count++] = (struct order_range){io->offset_bytes, io->length_bytes, slot};
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
	for (uint32_t i = 0; i < o->count; i++) {
		const struct order_range *range = &o->ranges[i];

		if (io->offset_bytes < range->offset_bytes + range->length_bytes &&
		    range->offset_bytes < io->offset_bytes + io->length_bytes)
			return true;
	}
	return false;
}
