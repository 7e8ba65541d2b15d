/* SPDX-License-Identifier: MIT */
/* Makes changes of the names in a folder durable. */
#ifndef BLKREEL_BASE_FOLDER_H
#define BLKREEL_BASE_FOLDER_H

/*
 * Makes the creation, renaming and removal of files in the folder `path` (as openat(2) finds it
 * from `at`) survive a crash. 0, also if the file system cannot (EINVAL) or this user may not read
 * the folder; negative errno.
 */
int folder_sync(int at, const char *path);

/* The same for the folder that contains `path`. Also -ENOMEM. */
int folder_sync_of(const char *path);

#endif
