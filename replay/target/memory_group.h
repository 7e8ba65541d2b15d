/* SPDX-License-Identifier: MIT */
/*
 * A control group that limits the memory of a process, page cache included, version 1 or 2. What the
 * process brings into the cache from then on is charged to the group.
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

/* 0; -EPERM and the like: root is missing; -ENOTSUP: no such control groups. With a message. */
int memory_group__create(struct memory_group *g, uint64_t limit_bytes,
			 char message[MEMORY_GROUP_MESSAGE_MAX]);
/* 0 or negative errno; nothing without a group. */
int memory_group__enter(const struct memory_group *g);
/* True when the kernel has ended a process in it for want of memory. */
bool memory_group__was_short(const struct memory_group *g);
/* Who was in it must have ended. */
int memory_group__remove(struct memory_group *g);

#endif
