/* SPDX-License-Identifier: MIT */
/*
 * A control group (version 1 or 2) that limits the memory of a process, page cache included. Pages
 * that the process brings into the cache are charged to the group.
 */
#ifndef BLKREEL_REPLAY_TARGET_MEMORY_GROUP_H
#define BLKREEL_REPLAY_TARGET_MEMORY_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#define MEMORY_GROUP_MESSAGE_MAX 768
#define MEMORY_GROUP_PATH_MAX	 512

struct memory_group {
	char path[MEMORY_GROUP_PATH_MAX]; /* "": there is none */
};

/*
 * Creates a group with this limit. Removes groups that killed replays have left. 0; -EPERM and the like: root is missing; -ENOTSUP: no such
 * control groups; with a sentence in `message`.
 */
int memory_group__create(struct memory_group *g, uint64_t limit_bytes,
			 char message[MEMORY_GROUP_MESSAGE_MAX]);
/* Moves this process into the group, if there is one. 0 or negative errno. */
int memory_group__enter(const struct memory_group *g);
/* True when the kernel has ended a process of the group for lack of memory. */
bool memory_group__was_short(const struct memory_group *g);
/* Removes the group, if there is one; its processes must have ended. 0 or negative errno. */
int memory_group__remove(struct memory_group *g);

#endif
