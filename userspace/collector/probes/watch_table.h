/* SPDX-License-Identifier: MIT */
/*
 * The disks that the probes watch, as the table that they look them up in, and the slots that the
 * requests of each have there (bpf/maps.bpf.h).
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
 * The disks of `choices`, several parts of one disk as the range that covers them; with count 0 every
 * disk. 0 or negative errno; watch_table__free() in either case.
 */
int watch_table__fill(struct watch_table *table, const struct device_choice *choices,
		      unsigned int count);
/* Into the map of the probes, which has entry_count entries. 0 or negative errno. */
int watch_table__store(const struct watch_table *table, int map_fd);
void watch_table__free(struct watch_table *table);

#endif
