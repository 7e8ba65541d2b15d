// SPDX-License-Identifier: MIT
#include "replay/target/marks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/units.h"

#define KIB 1024ull
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

/* Reads every sector of both ends: the place of a copy depends on the program that made it. */
#define HEAD_BYTES (1 * MIB)
#define TAIL_BYTES (2 * MIB)

#define PROBE_BYTES 512
/* A buffered read of less fails, too, when a sector beside it cannot be read. */
#define PIECE_BYTES 4096ull

struct mark {
	const char *name;
	unsigned int at; /* in its sector */
	unsigned int length;
	const char *magic;
};

/* In any sector of the two ends. */
static const struct mark marks_of_ends[] = {
	{"gpt", 0, 8, "EFI PART"},
	{"LVM2_member", 0, 8, "LABELONE"},
	{"LVM2_member", 4, 16, " LVM2 x[5A%r0N*>"},
	{"crypto_LUKS", 0, 6, "LUKS\xba\xbe"},
	{"crypto_LUKS", 0, 6, "SKUL\xba\xbe"},
	{"bcache", 24, 16, "\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81"},
	{"bcachefs", 24, 16, "\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef"},
	{"btrfs", 64, 8, "_BHRfS_M"},
	/* Version 1.x (the number behind the magic), and 0.90. */
	{"linux_raid_member", 0, 8, "\xfc\x4e\x2b\xa9\x01\x00\x00\x00"},
	{"linux_raid_member", 0, 12, "\xfc\x4e\x2b\xa9\x00\x00\x00\x00\x5a\x00\x00\x00"},
	{"linux_raid_member", 0, 12, "\xa9\x2b\x4e\xfc\x00\x00\x00\x00\x00\x00\x00\x5a"},
	/* An uberblock, in either byte order. */
	{"zfs_member", 0, 8, "\x0c\xb1\xba\x00\x00\x00\x00\x00"},
	{"zfs_member", 0, 8, "\x00\x00\x00\x00\x00\xba\xb1\x0c"},
	{"f2fs", 0, 8, "\x10\x20\xf5\xf2\x01\x00\x00\x00"},
	{"ntfs", 3, 8, "NTFS    "},
	{"exfat", 3, 8, "EXFAT   "},
	{"vfat", 82, 8, "FAT32   "},
	{"hfsplus", 0, 4, "H+\x00\x04"},
	{"hfsplus", 0, 4, "HX\x00\x05"},
};

/* At one place each. */
static const struct {
	uint64_t offset;
	struct mark mark;
} marks_at[] = {
	{64 * MIB, {"btrfs", 64, 8, "_BHRfS_M"}},
	{256 * GIB, {"btrfs", 64, 8, "_BHRfS_M"}},
	{1024 * 1024 * GIB, {"btrfs", 64, 8, "_BHRfS_M"}},
	{4 * MIB, {"crypto_LUKS", 0, 6, "SKUL\xba\xbe"}},
	/* The first copies for blocks of 1, 2 and 4 KiB: the magic, and that it is of group 1. */
	{8193 * KIB, {"ext4", 0x38, 2, "\x53\xef"}},
	{32 * MIB, {"ext4", 0x38, 2, "\x53\xef"}},
	{128 * MIB, {"ext4", 0x38, 2, "\x53\xef"}},
};

static bool has(const unsigned char *sector, const struct mark *mark)
{
	return !memcmp(sector + mark->at, mark->magic, mark->length);
}

/* Two bytes are not much: the number of the group and a plausible size of blocks as well. */
static bool is_ext_copy(const unsigned char *superblock)
{
	return superblock[0x5a] == 1 && !superblock[0x5b] && superblock[0x18] <= 6 &&
	       !superblock[0x19] && !superblock[0x1a] && !superblock[0x1b];
}

static ssize_t read_at(int fd, void *bytes, size_t count, uint64_t offset)
{
	size_t done = 0;

	while (done < count) {
		ssize_t got = pread(fd, (char *)bytes + done, count - done, (off_t)(offset + done));

		if (got < 0)
			return -errno;
		if (!got)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

static int look_at_end(int fd, uint64_t from, uint64_t to,
		       void (*found)(void *context, const char *name), void *context)
{
	unsigned char *bytes = malloc(to - from);
	ssize_t got = bytes ? read_at(fd, bytes, to - from, from) : -ENOMEM;

	for (ssize_t at = 0; at + PROBE_BYTES <= got; at += PROBE_BYTES)
		for (unsigned int i = 0; i < sizeof(marks_of_ends) / sizeof(marks_of_ends[0]); i++)
			if (has(bytes + at, &marks_of_ends[i]))
				found(context, marks_of_ends[i].name);
	free(bytes);
	return got < 0 ? (int)got : 0;
}

static int look_at_places(int fd, uint64_t offset, uint64_t size,
			  void (*found)(void *context, const char *name), void *context)
{
	unsigned char sector[PROBE_BYTES];

	for (unsigned int i = 0; i < sizeof(marks_at) / sizeof(marks_at[0]); i++) {
		const struct mark *mark = &marks_at[i].mark;
		ssize_t got;

		if (marks_at[i].offset + sizeof(sector) > size)
			continue;
		got = read_at(fd, sector, sizeof(sector), offset + marks_at[i].offset);
		if (got < 0)
			return (int)got;
		if (got == sizeof(sector) && has(sector, mark) &&
		    (mark->length > 2 || is_ext_copy(sector)))
			found(context, mark->name);
	}
	return 0;
}

/* Where the first end ends, and where the second begins and ends. */
struct ends {
	uint64_t head, tail, whole;
};

static struct ends ends_of(uint64_t size)
{
	struct ends e = {.whole = size - size % SECTOR_BYTES};

	e.head = e.whole < HEAD_BYTES ? e.whole : HEAD_BYTES;
	e.tail = e.whole - e.head > TAIL_BYTES ? e.whole - TAIL_BYTES : e.head;
	return e;
}

int marks__find(int fd, uint64_t offset, uint64_t size,
		void (*found)(void *context, const char *name), void *context)
{
	struct ends e = ends_of(size);
	int err = look_at_end(fd, offset, offset + e.head, found, context);

	if (!err && e.tail < e.whole)
		err = look_at_end(fd, offset + e.tail, offset + e.whole, found, context);
	return err ? err : look_at_places(fd, offset, size, found, context);
}

/* Piece by piece: a longer read may fail as a whole. */
static bool find_unreadable(int fd, uint64_t from, uint64_t to, uint64_t end, struct unreadable *it)
{
	char piece[PIECE_BYTES];

	for (uint64_t at = from - from % PIECE_BYTES; at < to; at += PIECE_BYTES) {
		size_t bytes = end - at < PIECE_BYTES ? (size_t)(end - at) : PIECE_BYTES;
		ssize_t got = read_at(fd, piece, bytes, at);

		if (got < 0) {
			*it = (struct unreadable){
				.offset_bytes = at, .bytes = bytes, .err = (int)got};
			return true;
		}
	}
	return false;
}

bool marks__unreadable(int fd, uint64_t offset, uint64_t size, struct unreadable *it)
{
	struct ends e = ends_of(size);
	off_t last = lseek(fd, 0, SEEK_END);
	uint64_t end = last < 0 ? offset + size : (uint64_t)last;

	if (find_unreadable(fd, offset, offset + e.head, end, it) ||
	    find_unreadable(fd, offset + e.tail, offset + e.whole, end, it))
		return true;
	for (unsigned int i = 0; i < sizeof(marks_at) / sizeof(marks_at[0]); i++) {
		uint64_t at = offset + marks_at[i].offset;

		if (marks_at[i].offset + PROBE_BYTES <= size &&
		    find_unreadable(fd, at, at + PROBE_BYTES, end, it))
			return true;
	}
	return false;
}
