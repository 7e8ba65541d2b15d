/* SPDX-License-Identifier: MIT */
/* Finds mount points, to complete a path inside a file system to an absolute path. */
#ifndef BLKREEL_COLLECTOR_HOST_MOUNTS_H
#define BLKREEL_COLLECTOR_HOST_MOUNTS_H

#include <stddef.h>
#include <stdint.h>

struct mounts;

int mounts__create(struct mounts **mounts); /* 0 or -ENOMEM */
void mounts__free(struct mounts *mounts);

/* The mount point of the file system on a device (the kernel's numbers), or where it was mounted last;
 * "" when no mount in this namespace is known. Valid until the next call. */
const char *mounts__point(struct mounts *mounts, uint32_t major, uint32_t minor);

#endif
