/* SPDX-License-Identifier: MIT */
/*
 * What the page cache holds of one file or block device, as the kernel reports it (cachestat(2),
 * before Linux 6.5 mincore(2)), and reading it in and dropping it. Touches nothing else that is
 * cached.
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
 * Looks what is cached of a range. 0; -EPERM: the kernel does not tell who may not write there;
 * -EFBIG: too much to look at without cachestat; other negative errno.
 */
int page_cache__look(int fd, uint64_t offset_bytes, uint64_t length_bytes,
		     struct page_cache_state *state);

/*
 * Writes back dirty pages, which cannot be dropped, and drops the rest of `fd`. Pages that others
 * have mapped or hold stay: page_cache__look() tells. 0 or negative errno.
 */
int page_cache__drop(int fd, bool block_device);

/*
 * True for a file that lies in the page cache itself (tmpfs, ramfs): nothing of it can be dropped.
 */
bool page_cache__is_the_disk(int fd);

/*
 * Reads a range into the cache, in pieces and without readahead behind its end.
 * page_cache__end_reading() allows readahead again. 0 or negative errno.
 */
int page_cache__read(int fd, uint64_t offset_bytes, uint64_t length_bytes);
/* Allows readahead again. */
void page_cache__end_reading(int fd);

#endif
