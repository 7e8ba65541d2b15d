/* SPDX-License-Identifier: MIT */
/* Tables of the device mapper: which sectors of other devices a range of a mapped device lies on. */
#ifndef BLKREEL_REPLAY_TARGET_DM_TABLE_H
#define BLKREEL_REPLAY_TARGET_DM_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define DM_NO_THIN (-1)

/* Sectors from `start` up to `end`. */
struct dm_extent {
	dev_t device;
	uint64_t start, end;
	int64_t thin; /* the sectors are those of this thin device of the pool `device`, or DM_NO_THIN */
	bool reads_only; /* what is written goes elsewhere (the origin of a snapshot) */
};

/*
 * Asks the kernel for the active table of a device. `text` receives it as dmsetup(8) prints it: one line for each
 * segment, "START LENGTH TYPE PARAMETERS". It can hold keys of dm-crypt: to be freed with dm_table__free(), which
 * wipes it. 0, -ENXIO: no such mapped device, other negative errno.
 */
int dm_table__read(dev_t device, char **text);
void dm_table__free(char *text);

/*
 * Calls `add` for each range that sectors `start` up to `end` of a device with this table lie on. False if that is
 * not known: the table has a type that is not known here or a line that does not fit its type, or `add` returned false.
 */
bool dm_table__map(const char *text, uint64_t start, uint64_t end,
		   bool (*add)(void *context, const struct dm_extent *extent), void *context);

#endif
