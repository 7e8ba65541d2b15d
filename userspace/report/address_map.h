/* SPDX-License-Identifier: MIT */
/*
 * Where the IOs of a device went, over time. The rows begin at `base_bytes` and are of equal height
 * of whole blocks of 4 KiB; when an address lies outside, the height doubles.
 */
#ifndef BLKREEL_REPORT_ADDRESS_MAP_H
#define BLKREEL_REPORT_ADDRESS_MAP_H

#include "report/heat_map.h"

#define ADDRESS_ROWS 256u

struct address_map {
	uint32_t device; /* table id */
	uint64_t ios;
	uint64_t base_bytes, row_bytes;
	struct heat_map map;
};

/* `first_bytes`: the address of the first IO. */
void address_map_init(struct address_map *a, uint32_t device, uint64_t first_bytes);
void address_map_release(struct address_map *a);

/* Adds an IO that begins at an address. 0 or -ENOMEM. */
int address_map_add(struct address_map *a, enum tick_op op, uint32_t bin, uint64_t bytes);

#endif
