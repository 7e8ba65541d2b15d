/* SPDX-License-Identifier: MIT */
/* The files that a file of overlayfs lies on. */
#ifndef BLKREEL_REPLAY_TARGET_OVERLAY_H
#define BLKREEL_REPLAY_TARGET_OVERLAY_H

#include <stdbool.h>

/* True when the file lies on overlayfs. */
bool overlay__has(int fd);

/*
 * Opens (O_PATH) the file of the upper directory, or of the first lower one, that `fd` shows. `root` is put before
 * every path that the mounts name: "", or "/proc/PID/root" with that process's `mountinfo_path`. A descriptor;
 * -ENOENT when the real file cannot be found, or is not surely the right one; or another negative errno.
 */
int overlay__open_real(int fd, const char *root, const char *mountinfo_path);

#endif
