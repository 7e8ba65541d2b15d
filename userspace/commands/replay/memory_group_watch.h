/* SPDX-License-Identifier: MIT */
/* replay --buffered --memory: the control group that the replay goes into. */
#ifndef BLKREEL_COMMANDS_REPLAY_MEMORY_GROUP_WATCH_H
#define BLKREEL_COMMANDS_REPLAY_MEMORY_GROUP_WATCH_H

#include <stdint.h>

/*
 * Makes the group and goes into it, for good: a process of its own outside of it waits for the end of this
 * one, however it ends, and removes it. Prints one line and returns an exit code when that fails.
 */
int replay_group_enter(uint64_t limit_bytes);

#endif
