// SPDX-License-Identifier: MIT
#include "replay/target/overlay.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/mount_table.h"

#ifndef OVERLAYFS_SUPER_MAGIC
#define OVERLAYFS_SUPER_MAGIC 0x794c7630
#endif
#define EXTENTS 8 /* compared of two files */

bool overlay__has(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == OVERLAYFS_SUPER_MAGIC;
}

/* The right file ---------------------------------------------------------------------------- */

struct extents {
	struct fiemap map;
	struct fiemap_extent items[EXTENTS];
};

/* False when the file system does not tell where the data of a file are. */
static bool read_extents(int fd, struct extents *e)
{
	char path[64];
	int readable, err;

	*e = (struct extents){.map = {.fm_length = FIEMAP_MAX_OFFSET,
				      .fm_flags = FIEMAP_FLAG_SYNC,
				      .fm_extent_count = EXTENTS}};
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	readable = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (readable < 0)
		return false;
	err = ioctl(readable, FS_IOC_FIEMAP, &e->map);
	close(readable);
	return !err;
}

static bool same_extents(int a, int b)
{
	struct extents first, second;

	if (!read_extents(a, &first) || !read_extents(b, &second))
		return true;
	if (first.map.fm_mapped_extents != second.map.fm_mapped_extents)
		return false;
	for (unsigned int i = 0; i < first.map.fm_mapped_extents; i++)
		if (first.items[i].fe_logical != second.items[i].fe_logical ||
		    first.items[i].fe_physical != second.items[i].fe_physical)
			return false;
	return true;
}

/* The directory that a mount names can be another one of the same name: the files have to look alike. */
static bool looks_alike(int shown_fd, int real_fd)
{
	struct stat shown, real;

	return !fstat(shown_fd, &shown) && !fstat(real_fd, &real) && S_ISREG(real.st_mode) &&
	       shown.st_size == real.st_size && shown.st_uid == real.st_uid &&
	       shown.st_gid == real.st_gid && shown.st_mode == real.st_mode &&
	       shown.st_mtim.tv_sec == real.st_mtim.tv_sec &&
	       shown.st_mtim.tv_nsec == real.st_mtim.tv_nsec && same_extents(shown_fd, real_fd);
}

/* The directories --------------------------------------------------------------------------- */

static int try_directory(int fd, const char *root, const char *directory, const char *inside)
{
	char path[PATH_MAX];
	int real;

	if (directory[0] != '/' ||
	    snprintf(path, sizeof(path), "%s%s%s", root, directory, inside) >= (int)sizeof(path))
		return -ENOENT;
	real = open(path, O_PATH | O_CLOEXEC | O_NOFOLLOW);
	if (real < 0)
		return -errno;
	if (looks_alike(fd, real))
		return real;
	close(real);
	return -ENOENT;
}

/* "lowerdir=/a:/b\:c::/data": in place, the text only gets shorter. */
static char *next_directory(char **rest)
{
	char *from = *rest, *to = *rest, *directory = *rest;

	if (!from || !*from)
		return NULL;
	while (*from && *from != ':') {
		if (*from == '\\' && from[1])
			from++;
		*to++ = *from++;
	}
	*rest = *from ? from + 1 : from;
	*to = '\0';
	return directory;
}

static int try_directories(int fd, const char *root, char *directories, const char *inside)
{
	char *rest = directories, *directory;
	int real = -ENOENT;

	while (real < 0 && (directory = next_directory(&rest)))
		if (directory[0])
			real = try_directory(fd, root, directory, inside);
	return real;
}

/* The upper directory covers the lower ones. */
static int try_mount(int fd, const char *root, const struct mount_entry *mount, const char *inside)
{
	static const char *const options[] = {"upperdir=", "lowerdir=", "lowerdir+="};
	int real = -ENOENT;

	for (unsigned int i = 0; i < 3 && real < 0; i++) {
		char *text = strdup(mount->options), *rest = text, *option;

		while (text && real < 0 && (option = strsep(&rest, ",")))
			if (!strncmp(option, options[i], strlen(options[i])))
				real = try_directories(fd, root, option + strlen(options[i]),
						       inside);
		free(text);
	}
	return real;
}

/* The path below a mount: "/file" of "/mnt/file" below "/mnt". NULL: it is not below. */
static const char *path_below(const char *path, const char *mount)
{
	size_t bytes = strcmp(mount, "/") ? strlen(mount) : 0;

	if (strncmp(path, mount, bytes) || (path[bytes] && path[bytes] != '/'))
		return NULL;
	return path + bytes;
}

/* The path of the open file in its mount namespace. */
static int read_path(int fd, const char *root, char *path)
{
	char link[64];
	ssize_t length;
	size_t skip = strlen(root);

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, PATH_MAX - 1);
	if (length < 0)
		return -errno;
	path[length] = '\0';
	if (skip && !strncmp(path, root, skip))
		memmove(path, path + skip, strlen(path + skip) + 1);
	return path[0] == '/' ? 0 : -ENOENT;
}

int overlay__open_real(int fd, const char *root, const char *mountinfo_path)
{
	char path[PATH_MAX], inside[2 * PATH_MAX];
	const struct mount_entry *mount = NULL;
	struct mount_table *table;
	const char *below;
	int err = read_path(fd, root, path);

	if (!err)
		err = mount_table__read(mountinfo_path, &table);
	if (err)
		return err;
	/* The deepest mount shows the file; of equal ones the last. */
	for (size_t i = 0; i < table->count; i++) {
		const struct mount_entry *entry = &table->entries[i];

		if (path_below(path, entry->target) &&
		    (!mount || strlen(entry->target) >= strlen(mount->target)))
			mount = entry;
	}
	err = -ENOENT;
	if (mount && !strcmp(mount->type, "overlay")) {
		below = path_below(path, mount->target);
		snprintf(inside, sizeof(inside), "%s%s",
			 strcmp(mount->root, "/") ? mount->root : "", below);
		err = try_mount(fd, root, mount, inside);
	}
	mount_table__free(table);
	return err;
}
