// SPDX-License-Identifier: MIT
#include "replay/target/file_data.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"

#define MARK	    "user.blkreel"
#define MARK_MAX    96
#define PIECE_BYTES (1u << 20)
/* More zeroes than that are not read: a file this full counts as one that holds data. */
#define ZEROES_MAX (256ull << 20)

/* What a write by anybody changes. */
static bool write_mark(int fd, char *mark)
{
	struct stat file;

	if (fstat(fd, &file))
		return false;
	snprintf(mark, MARK_MAX, "replayed %llu %lld.%09ld", (unsigned long long)file.st_size,
		 (long long)file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
	return true;
}

static bool is_marked(int fd)
{
	char mark[MARK_MAX], found[MARK_MAX];
	ssize_t length = fgetxattr(fd, MARK, found, sizeof(found));

	return length > 0 && write_mark(fd, mark) && (size_t)length == strlen(mark) &&
	       !memcmp(mark, found, strlen(mark));
}

/* Times of file systems tick each few milliseconds: a write right after the mark could have the same. */
static void set_exact_time(int fd)
{
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};

	clock_gettime(CLOCK_REALTIME, &times[1]);
	futimens(fd, times);
}

void file_data__mark(int fd)
{
	char mark[MARK_MAX];

	set_exact_time(fd);

	if (write_mark(fd, mark) && fsetxattr(fd, MARK, mark, strlen(mark), 0))
		return; /* the next replay asks for the name of the file */
}

static bool is_zero(const unsigned char *bytes, size_t count)
{
	return !count || (!bytes[0] && !memcmp(bytes, bytes + 1, count - 1));
}

static bool has_other_than_zeroes(int fd, off_t from, off_t to, uint64_t *zeroes)
{
	unsigned char *piece = malloc(PIECE_BYTES);
	bool found = !piece;

	while (!found && from < to) {
		size_t wanted = to - from < PIECE_BYTES ? (size_t)(to - from) : PIECE_BYTES;
		ssize_t got = pread(fd, piece, wanted, from);

		if (!got)
			break;
		found = got < 0 || !is_zero(piece, (size_t)got) || *zeroes > ZEROES_MAX;
		from += got;
		*zeroes += got > 0 ? (uint64_t)got : 0;
	}
	free(piece);
	return found;
}

bool file_data__has(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END), from = 0;
	uint64_t zeroes = 0;

	if (size < 0)
		return true;
	if (is_marked(fd))
		return false;
	while (from < size) {
		off_t data = lseek(fd, from, SEEK_DATA), hole;

		if (data < 0 && errno == ENXIO)
			return false; /* only a hole follows */
		if (data < 0)	      /* a file system that does not know */
			return has_other_than_zeroes(fd, from, size, &zeroes);
		hole = lseek(fd, data, SEEK_HOLE);
		if (hole < 0)
			hole = size;
		if (has_other_than_zeroes(fd, data, hole, &zeroes))
			return true;
		from = hole;
	}
	return false;
}
