// SPDX-License-Identifier: MIT
#include "report/address_map.h"

#include "base/units.h"

void address_map_init(struct address_map *a, uint32_t device, uint64_t first_bytes)
{
	uint64_t span = ADDRESS_ROWS * PAGE_BYTES;

	*a = (struct address_map){
		.device = device,
		.base_bytes = first_bytes / span * span,
		.row_bytes = PAGE_BYTES,
		.map.rows = ADDRESS_ROWS,
	};
}

void address_map_release(struct address_map *a)
{
	heat_map_release(&a->map);
}

/* The base stays a multiple of the whole span, so in the end any two addresses are inside. */
static void widen(struct address_map *a)
{
	uint64_t span = ADDRESS_ROWS * a->row_bytes;
	bool downwards = a->base_bytes / span % 2;

	heat_map_double_rows(&a->map, downwards);
	a->base_bytes -= downwards ? span : 0;
	a->row_bytes *= 2;
}

int address_map_add(struct address_map *a, enum tick_op op, uint32_t bin, uint64_t bytes)
{
	uint64_t limit = UINT64_MAX / 4;

	if (bytes > limit)
		bytes = limit;
	while (bytes < a->base_bytes || (bytes - a->base_bytes) / a->row_bytes >= ADDRESS_ROWS)
		widen(a);
	a->ios++;
	return heat_map_add(&a->map, op, bin, (uint32_t)((bytes - a->base_bytes) / a->row_bytes),
			    1);
}
