/* SPDX-License-Identifier: MIT */
/*
 * A thread that writes whole blocks to a file, so that a slow disk does not delay their producer.
 */
#ifndef BLKREEL_TRACE_FILE_WRITE_BEHIND_H
#define BLKREEL_TRACE_FILE_WRITE_BEHIND_H

#include <stddef.h>
#include <stdint.h>

/* Appends at `offset`, which is the end of the file: all or nothing. 0 or negative errno. */
int write_whole(int fd, uint64_t offset, const uint8_t *at, size_t bytes);

struct write_behind;

/*
 * Starts a thread that appends blocks to `fd` from `offset` on. `fd` stays the caller's, who must
 * not use it meanwhile. 0 or negative errno.
 */
int write_behind__start(int fd, uint64_t offset, struct write_behind **behind);
/*
 * Copies the block; waits while 8 MiB are pending. 0, or the error of an earlier block, after which
 * no more is written.
 */
int write_behind__append(struct write_behind *b, const uint8_t *block, size_t bytes);
uint64_t write_behind__written(const struct write_behind *b); /* bytes of the file so far */
/* Writes the pending blocks and frees. 0 or the first error. */
int write_behind__finish(struct write_behind *b);

#endif
