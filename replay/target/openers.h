/* SPDX-License-Identifier: MIT */
/* Which process has a target open for writing, as /proc shows it. */
#ifndef BLKREEL_REPLAY_TARGET_OPENERS_H
#define BLKREEL_REPLAY_TARGET_OPENERS_H

#include <stdbool.h>

#include "replay/target/storage.h"

struct opener {
	pid_t pid;
	char name[32]; /* of its program */
	dev_t device;  /* that it has open, if that is another one; or 0 */
};

/*
 * Finds a process that has the storage, or what it lies on, open for writing, or in its memory.
 * `but_self` leaves out the calling process, and of the others looks at the open files alone, which
 * is quick. Processes of other users are seen by root only.
 */
bool openers__find(const struct safety_view *view, const struct storage *storage, bool but_self,
		   struct opener *opener);

#endif
