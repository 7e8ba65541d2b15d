/* SPDX-License-Identifier: MIT */
/*
 * The hash table in which the probes look up watched disks, and the slots for the requests of each
 * disk (bpf/maps.bpf.h).
 */
#ifndef BLKREEL_COLLECTOR_PROBES_WATCH_TABLE_H
#define BLKREEL_COLLECTOR_PROBES_WATCH_TABLE_H

#include "bpf/event.h"
#include "collector/host/devices.h"

struct watch_table {
	struct device_state *entries; /* 1 << (32 - shift) of them */
	uint32_t entry_count;
	uint32_t shift;
	uint32_t slot_count; /* at least 1 */
};

/*
 * Fills the table with the disks of `choices` (several partitions of one disk become the range that
 * covers them), or, with count 0, with all disks. 0 or negative errno; call watch_table__free() in
 * either case.
 */
int watch_table__fill(struct watch_table *table, const struct device_choice *choices,
		      unsigned int count);
/* Writes the table into the probes' map, which has entry_count entries. 0 or negative errno. */
int watch_table__store(const struct watch_table *table, int map_fd);
void watch_table__free(struct watch_table *table);

#endif
