/* SPDX-License-Identifier: MIT */
/* Whether the path of a target leads to where its user meant, and why it cannot be opened. */
#ifndef BLKREEL_REPLAY_TARGET_TARGET_PATH_H
#define BLKREEL_REPLAY_TARGET_TARGET_PATH_H

#include <sys/stat.h>

#include "replay/target/safety.h"

/*
 * Refuses (-EPERM) a path to write to that leads over a link of another user, to a file of the
 * kernel's own (sysfs), to one whose users cannot be known here (FUSE, NFS), or no more to `file`, its
 * stat(2). 0 otherwise.
 */
int target_path__check(const char *path, const struct stat *file, struct refusal *why);

/* Fills `why` for an open(2) of the path that failed with errno `err`. Returns -EPERM for a refusal, else -err. */
int target_path__cannot_open(const char *path, int err, struct refusal *why);

#endif
