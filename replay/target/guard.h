/* SPDX-License-Identifier: MIT */
/*
 * Holds a target while it is written to. A regular file is leased: who opens it waits until the replay lets go of it. A
 * thread watches the lease and all loop devices.
 */
#ifndef BLKREEL_REPLAY_TARGET_GUARD_H
#define BLKREEL_REPLAY_TARGET_GUARD_H

#include <signal.h>

#include "replay/target/safety.h"
#include "replay/target/storage.h"

struct guard;

/*
 * Refuses (-EPERM) what somebody has open for writing, overlayfs and the kernel's NVMe target included. Before the file is opened for
 * writing: `fd` is read-only. 0 where the file system has no leases.
 */
int guard__check_writers(const struct safety_view *view, const char *path, int fd,
			 const struct storage *storage, struct refusal *why);

/*
 * Starts to hold the target that `fd` has open; guard__verdict() tells at once what began since it was checked. `path`
 * outlives the guard. 0 or a negative errno.
 */
int guard__start(const struct safety_view *view, const char *path, int fd,
		 const struct storage *storage, struct guard **guard);
/* Ends it; what waits to open the file goes on. NULL is allowed. */
void guard__end(struct guard *guard);

/* *enough becomes true when somebody else begins to use the target. */
void guard__tell(struct guard *guard, volatile sig_atomic_t *enough);
/* NULL, or a sentence that says who uses the target now; valid until the guard ends. */
const char *guard__verdict(struct guard *guard);

#endif
