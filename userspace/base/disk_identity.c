// SPDX-License-Identifier: MIT
#include "base/disk_identity.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HASH_START 0xcbf29ce484222325 /* FNV-1a */
#define HASH_STEP  0x100000001b3

static void attribute_path(const struct disk_identity *disk, const char *name, char path[128])
{
	snprintf(path, 128, "/sys/dev/block/%u:%u/%s%s", disk->major, disk->minor,
		 disk->is_partition ? "../" : "", name);
}

/* False: the attribute is gone, which is so when its disk is. */
static bool read_sequence(int fd, uint64_t *sequence)
{
	char text[32];
	ssize_t got = pread(fd, text, sizeof(text) - 1, 0);

	if (got <= 0)
		return false;
	text[got] = '\0';
	*sequence = strtoull(text, NULL, 10);
	return true;
}

static uint64_t find_folder(const struct disk_identity *disk)
{
	char path[128];
	struct stat folder;

	attribute_path(disk, "", path);
	return stat(path, &folder) ? 0 : folder.st_ino;
}

static uint64_t hash_backing(const struct disk_identity *disk)
{
	char path[128], text[PATH_MAX];
	uint64_t hash = HASH_START;
	ssize_t got;
	int fd;

	attribute_path(disk, "loop/backing_file", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	got = read(fd, text, sizeof(text));
	close(fd);
	for (ssize_t i = 0; i < got; i++)
		hash = (hash ^ (unsigned char)text[i]) * HASH_STEP;
	return hash;
}

void disk_identity__take(struct disk_identity *disk, uint32_t major, uint32_t minor)
{
	char path[128];

	*disk = (struct disk_identity){.major = major, .minor = minor, .fd = -1};
	attribute_path(disk, "partition", path);
	disk->is_partition = !access(path, F_OK);
	disk->folder = find_folder(disk);
	attribute_path(disk, "md", path);
	disk->is_array = !access(path, F_OK);
	attribute_path(disk, "diskseq", path);
	disk->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (disk->fd >= 0 && read_sequence(disk->fd, &disk->sequence))
		return;
	disk_identity__release(disk);
	disk->backing = hash_backing(disk);
}

void disk_identity__release(struct disk_identity *disk)
{
	if (disk->fd >= 0)
		close(disk->fd);
	disk->fd = -1;
}

/* An md array reports a change of its medium to whoever opens it first after its start, and the kernel
 * gives it another number then. When it is stopped, its disk goes away. */
bool disk_identity__holds(const struct disk_identity *disk)
{
	uint64_t sequence;

	if (disk->fd >= 0)
		return read_sequence(disk->fd, &sequence) &&
		       (disk->is_array || sequence == disk->sequence);
	return !disk->folder ||
	       (find_folder(disk) == disk->folder && hash_backing(disk) == disk->backing);
}
