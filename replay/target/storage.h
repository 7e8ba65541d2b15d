/* SPDX-License-Identifier: MIT */
/* Where the bytes of a device or a file really are: two names can lead to the same bytes. */
#ifndef BLKREEL_REPLAY_TARGET_STORAGE_H
#define BLKREEL_REPLAY_TARGET_STORAGE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "replay/target/view.h"

/* A file on overlayfs, and the files that it can lie on: overlayfs can be stacked. */
#define STORAGE_FILES_MAX 4

struct storage_file {
	dev_t device;
	ino_t inode;
};

struct storage {
	bool block;
	dev_t device, disk; /* of a block device, and of the disk that it is a partition of */
	unsigned int file_count;
	struct storage_file files[STORAGE_FILES_MAX]; /* the names that one regular file has */
	bool unknown; /* it may be a file of overlayfs whose real file cannot be found */
};

/* An attached loop device. */
struct storage_loop {
	char name[64];
	char backing_path[PATH_MAX]; /* as the kernel tells it */
	struct storage backing;
};

void storage__of_device(const struct safety_view *view, dev_t device, struct storage *s);
/* Of an open regular file or block device (O_PATH is enough). 0 or a negative errno. */
int storage__of_fd(const struct safety_view *view, int fd, struct storage *s);

/* False when loop device `name` is not attached. */
bool storage__read_loop(const struct safety_view *view, const char *name,
			struct storage_loop *loop);

/* Opens a block device by its number. A descriptor, or a negative errno. */
int storage__open_device(const struct safety_view *view, dev_t device, int flags);

/* Opens the real file of a file on overlayfs for reading, if there is one; else -ENOENT. */
int storage__open_real(const struct safety_view *view, int fd);

#endif
