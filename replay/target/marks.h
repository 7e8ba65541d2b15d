/* SPDX-License-Identifier: MIT */
/* Signatures that libblkid does not look for: copies of superblocks, mostly at the end of a device. */
#ifndef BLKREEL_REPLAY_TARGET_MARKS_H
#define BLKREEL_REPLAY_TARGET_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Calls `found` for each signature in `size_bytes` from `offset_bytes` on, with the name that libblkid gives it; the same
 * one can come several times. 0 or a negative errno.
 */
int marks__find(int fd, uint64_t offset_bytes, uint64_t size_bytes,
		void (*found)(void *context, const char *name), void *context);

struct unreadable {
	uint64_t offset_bytes; /* in the file or device */
	size_t bytes;
	int err; /* a negative errno */
};

/* The first piece, of at most 4 KiB, of what marks__find() reads of this range that cannot be read. False: none. */
bool marks__unreadable(int fd, uint64_t offset_bytes, uint64_t size_bytes, struct unreadable *it);

#endif
