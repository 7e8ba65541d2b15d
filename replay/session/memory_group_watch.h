/* SPDX-License-Identifier: MIT */
/* replay --buffered --memory: the control group that the replay enters. */
#ifndef BLKREEL_REPLAY_SESSION_MEMORY_GROUP_WATCH_H
#define BLKREEL_REPLAY_SESSION_MEMORY_GROUP_WATCH_H

#include <stdint.h>

#include "replay/session/failure.h"

/*
 * Creates the group and moves this process into it for good. A second process outside of the group waits until this one
 * has ended, however it ends, removes the group, and logs if the kernel ended the replay for want of memory.
 * 0, or -1 with *failure.
 */
int replay_memory_group_enter(uint64_t limit_bytes, struct failure *failure);

#endif
