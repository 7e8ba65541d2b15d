/* SPDX-License-Identifier: MIT */
/* The mount namespaces of all processes that can be seen. */
#ifndef BLKREEL_REPLAY_TARGET_NAMESPACES_H
#define BLKREEL_REPLAY_TARGET_NAMESPACES_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Calls `look` with one process of each mount namespace but that of the caller, until it returns
 * true. Returns what the last call returned; false without another namespace.
 */
bool namespaces__each_mount(const char *proc_path, bool (*look)(void *context, pid_t pid),
			    void *context);

/* The next process in an open /proc; 0 at the end. `proc` is a DIR. */
pid_t namespaces__next_process(void *proc);

#endif
