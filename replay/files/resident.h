/* SPDX-License-Identifier: MIT */
/*
 * Which pages of the files were in the page cache when the recording began: those that were hit at
 * their first touch and that nothing in the recording had brought before.
 */
#ifndef BLKREEL_REPLAY_FILES_RESIDENT_H
#define BLKREEL_REPLAY_FILES_RESIDENT_H

#include "replay/files/operations.h"

/*
 * Sets `resident` of the files of `s`, and its counts. The operations are in order of time, each
 * with the number of its touch, and initial_bytes are known. 0; -E2BIG: the files are too large for
 * it; -ENOMEM.
 */
int file_resident__find(struct file_script *s);

/*
 * Gives the next part of a file that was in the cache, from *page on, and moves *page behind it.
 * False: no more.
 */
bool file_resident__next(const struct file_need *need, uint64_t *page, uint64_t *offset_bytes,
			 uint64_t *length_bytes);

#endif
