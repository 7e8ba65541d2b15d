// SPDX-License-Identifier: MIT
#include "replay/target/page_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Linux 6.5, cf264e1329fb ("cachestat: implement cachestat syscall"); older headers do not have it. */
#define CACHESTAT_NUMBER 451

#define WINDOW_BYTES	  (64ull << 20)
#define MINCORE_MAX_BYTES (1ull << 40)
#define PIECE_BYTES	  (256u << 10)

struct cachestat_range {
	uint64_t offset, length;
};

struct cachestat_answer {
	uint64_t cached, dirty, written_back, evicted, recently_evicted;
};

static uint64_t system_page_bytes(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

static int ask_cachestat(int fd, uint64_t offset_bytes, uint64_t length_bytes,
			 struct page_cache_state *state)
{
	struct cachestat_range range = {offset_bytes, length_bytes};
	struct cachestat_answer answer = {0};

	if (syscall(CACHESTAT_NUMBER, fd, &range, &answer, 0))
		return -errno;
	state->cached_bytes = answer.cached * system_page_bytes();
	state->dirty_bytes = (answer.dirty + answer.written_back) * system_page_bytes();
	state->dirty_known = true;
	return 0;
}

/* For other users mincore reports everything as cached. */
static bool mincore_tells(int fd)
{
	struct stat file;
	char path[32];

	if (!geteuid() || (!fstat(fd, &file) && file.st_uid == geteuid()))
		return true;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return !access(path, W_OK);
}

static int ask_mincore(int fd, uint64_t offset_bytes, uint64_t length_bytes,
		       struct page_cache_state *state)
{
	static unsigned char present[WINDOW_BYTES / 4096];
	uint64_t page_bytes = system_page_bytes();
	uint64_t end_bytes = offset_bytes + length_bytes;

	if (length_bytes > MINCORE_MAX_BYTES)
		return -EFBIG;
	if (!mincore_tells(fd))
		return -EPERM;
	for (uint64_t at = offset_bytes - offset_bytes % page_bytes; at < end_bytes;
	     at += WINDOW_BYTES) {
		uint64_t bytes = end_bytes - at < WINDOW_BYTES ? end_bytes - at : WINDOW_BYTES;
		void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, (off_t)at);
		int err;

		if (map == MAP_FAILED)
			return -errno;
		err = mincore(map, bytes, present) ? -errno : 0;
		munmap(map, bytes);
		if (err)
			return err;
		for (uint64_t i = 0; i < (bytes + page_bytes - 1) / page_bytes; i++)
			state->cached_bytes += present[i] & 1 ? page_bytes : 0;
	}
	return 0;
}

int page_cache__look(int fd, uint64_t offset_bytes, uint64_t length_bytes,
		     struct page_cache_state *state)
{
	int err;

	*state = (struct page_cache_state){0};
	if (!length_bytes) /* to the kernel 0 means the whole file */
		return 0;
	err = ask_cachestat(fd, offset_bytes, length_bytes, state);
	/* Seccomp profiles that do not know the call return EPERM. */
	return err == -ENOSYS || err == -EPERM ? ask_mincore(fd, offset_bytes, length_bytes, state)
					       : err;
}

int page_cache__drop(int fd, bool block_device)
{
	int err;

	if (fsync(fd))
		return -errno;
	err = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	/* Drops the pages of the device's other names, too; root only. */
	if (block_device)
		ioctl(fd, BLKFLSBUF, 0);
	return -err;
}

bool page_cache__is_the_disk(int fd)
{
	struct statfs fs;
	struct stat file;

	/* The node of a block device lies in memory, its data does not. */
	return !fstat(fd, &file) && !S_ISBLK(file.st_mode) && !fstatfs(fd, &fs) &&
	       (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC);
}

int page_cache__read(int fd, uint64_t offset_bytes, uint64_t length_bytes)
{
	static char piece[PIECE_BYTES];
	uint64_t end_bytes = offset_bytes + length_bytes;

	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	while (offset_bytes < end_bytes) {
		uint64_t left_bytes = end_bytes - offset_bytes;
		ssize_t got = pread(fd, piece, left_bytes < PIECE_BYTES ? left_bytes : PIECE_BYTES,
				    (off_t)offset_bytes);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			return 0;
		offset_bytes += (uint64_t)got;
	}
	return 0;
}

void page_cache__end_reading(int fd)
{
	posix_fadvise(fd, 0, 0, POSIX_FADV_NORMAL);
}
