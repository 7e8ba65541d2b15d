/* SPDX-License-Identifier: MIT */
/* What happened to the names in a folder, made to last. */
#ifndef BLKREEL_BASE_FOLDER_H
#define BLKREEL_BASE_FOLDER_H

/*
 * Files that were created, renamed or removed in the folder `path` (as openat(2) finds it from `at`) are that
 * after a crash, too. 0, also where the file system cannot (EINVAL) and where this user may not read the
 * folder; negative errno.
 */
int folder_sync(int at, const char *path);

/* The same of the folder that `path` lies in. Also -ENOMEM. */
int folder_sync_of(const char *path);

#endif
