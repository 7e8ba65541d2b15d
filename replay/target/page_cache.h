/* SPDX-License-Identifier: MIT */
/*
 * What the page cache holds of one file or block device, as the kernel says it (cachestat(2), mincore(2)
 * before Linux 6.5), and bringing it there and out of there. Nothing else that is cached is touched.
 */
#ifndef BLKREEL_REPLAY_TARGET_PAGE_CACHE_H
#define BLKREEL_REPLAY_TARGET_PAGE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

struct page_cache_state {
	uint64_t cached_bytes; /* in whole pages */
	uint64_t dirty_bytes;  /* not written to the device yet, or being written */
	bool dirty_known;      /* else dirty_bytes is 0: the kernel has no cachestat */
};

/*
 * What is cached of `length_bytes` bytes from `offset_bytes`. 0; -EPERM: the kernel does not tell it to those who may
 * not write there; -EFBIG: without cachestat, too much to look at; other negative errno.
 */
int page_cache__look(int fd, uint64_t offset_bytes, uint64_t length_bytes,
		     struct page_cache_state *state);

/*
 * Writes back what is dirty, since that could not be dropped, and drops what is cached of `fd`. What others have mapped
 * or hold stays: page_cache__look() tells. 0 or negative errno.
 */
int page_cache__drop(int fd, bool block_device);

/* Whether the page cache is where the file lies (tmpfs, ramfs): nothing of it can be dropped. */
bool page_cache__is_the_disk(int fd);

/*
 * Reads a range into the cache, in pieces and without reading ahead of its end, which only
 * page_cache__end_reading() allows again. 0 or negative errno.
 */
int page_cache__read(int fd, uint64_t offset_bytes, uint64_t length_bytes);
void page_cache__end_reading(int fd);

#endif
