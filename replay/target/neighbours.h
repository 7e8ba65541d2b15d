/* SPDX-License-Identifier: MIT */
/* Other devices of the device mapper, md and the like that lie on the same sectors as a target. */
#ifndef BLKREEL_REPLAY_TARGET_NEIGHBOURS_H
#define BLKREEL_REPLAY_TARGET_NEIGHBOURS_H

#include "replay/target/storage_tree.h"

#define NEIGHBOUR_PATH_MAX 160
#define WHERE_TEXT_MAX	   320

struct neighbour {
	dev_t device;
	char path[NEIGHBOUR_PATH_MAX]; /* "/dev/mapper/name", "/dev/md0" */
	char where[WHERE_TEXT_MAX];
	bool pool;   /* it is the pool of a thin device: at which of its sectors is not known */
	bool mapper; /* dmsetup(8) can remove it */
};

/*
 * Calls `found` for each such device that the target does not itself lie on, until `found` returns true; returns
 * whether it did. A device counts as one, too, if what it lies on cannot be known.
 */
bool neighbours__each(const struct safety_view *view, const struct storage_tree *target,
		      bool (*found)(void *context, const struct neighbour *neighbour),
		      void *context);

/* "/dev/mapper/name", "/dev/md0". */
void neighbours__path(const struct safety_view *view, dev_t device, char *path, size_t bytes);

/* "sectors 2048 to 4095 of sda", "thin device 7 of pool", "one file": for a message. */
void neighbours__where(const struct safety_view *view, const struct storage_tree *target,
		       const struct storage_meeting *meeting, char *text, size_t bytes);

#endif
