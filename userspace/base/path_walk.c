// SPDX-License-Identifier: MIT
#include "base/path_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LINKS_MAX 40 /* the kernel's limit */

uid_t path_walk__user(void)
{
	/* No user has this number: the call only tells. */
	return (uid_t)setfsuid((uid_t)-1);
}

static bool is_ours(uid_t owner)
{
	return !owner || owner == path_walk__user();
}

/* A link is trusted when only root or this user can have created it. */
static bool is_trusted(const struct stat *folder, const struct stat *link)
{
	bool closed = is_ours(folder->st_uid) && !(folder->st_mode & (S_IWGRP | S_IWOTH));

	return is_ours(link->st_uid) || closed;
}

static void step_into(struct path_walk *w, int folder)
{
	if (w->folder >= 0)
		close(w->folder);
	w->folder = folder;
}

/* Into what the kernel finds at `folder`, also behind links; relative to where the walk is. */
static int start_at(struct path_walk *w, const char *folder)
{
	int fd = openat(w->folder, folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	step_into(w, fd);
	return 0;
}

/*
 * Links of /proc (root, cwd, fd/3) lead to what a process has open. Their text is its path for that
 * process, which can be another file in other mount namespaces.
 */
static bool is_magic(const struct path_walk *w, const char *target)
{
	struct statfs fs;

	return target[0] == '/' && !fstatfs(w->folder, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

/* Puts the target of the link `name` before the rest of the path. */
static int follow(struct path_walk *w, const char *name, int link, const char *rest)
{
	char target[PATH_MAX], whole[sizeof(w->rest)];
	struct stat folder, link_stat;
	ssize_t length;
	int used;

	if (fstat(w->folder, &folder) || fstat(link, &link_stat))
		return -errno;
	if (!S_ISLNK(link_stat.st_mode))
		return -ENOTDIR;
	if (!is_trusted(&folder, &link_stat))
		return -EXDEV;
	if (++w->links > LINKS_MAX)
		return -ELOOP;
	length = readlinkat(link, "", target, sizeof(target) - 1);
	if (length < 0)
		return -errno;
	target[length] = '\0';
	if (is_magic(w, target)) {
		if (!*rest)
			return -ELOOP;
		memmove(w->rest, rest, strlen(rest) + 1);
		return start_at(w, name);
	}
	used = snprintf(whole, sizeof(whole), "%s%s%s", target, *rest ? "/" : "", rest);
	if (used < 0 || (size_t)used >= sizeof(whole))
		return -ENAMETOOLONG;
	strcpy(w->rest, whole);
	return target[0] == '/' ? start_at(w, "/") : 0;
}

/* Walks into one folder or link; `rest` is the path behind it. */
static int step(struct path_walk *w, const char *name, const char *rest)
{
	/* O_DIRECTORY: with O_PATH alone autofs would not mount the folder. */
	int fd = openat(w->folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), err;

	if (fd >= 0) {
		step_into(w, fd);
		memmove(w->rest, rest, strlen(rest) + 1);
		return 0;
	}
	if (errno != ENOTDIR && errno != ELOOP)
		return -errno;
	fd = openat(w->folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = follow(w, name, fd, rest);
	close(fd);
	return err;
}

/* 1: the last name of the path was a link, and its target stands in its place. */
static int follow_last(struct path_walk *w)
{
	int link = openat(w->folder, w->rest, O_PATH | O_NOFOLLOW | O_CLOEXEC), err;
	struct stat st;

	if (link < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fstat(link, &st))
		err = -errno;
	else if (!S_ISLNK(st.st_mode))
		err = 0;
	else
		err = follow(w, w->rest, link, "") ?: 1;
	close(link);
	return err;
}

int path_walk__to(struct path_walk *w, const char *path, bool follows)
{
	char name[NAME_MAX + 1];
	int err;

	*w = (struct path_walk){.folder = AT_FDCWD};
	if (!*path)
		return -ENOENT;
	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	strcpy(w->rest, path);
	err = start_at(w, *path == '/' ? "/" : ".");
	while (!err) {
		char *at = w->rest + strspn(w->rest, "/");
		size_t length = strcspn(at, "/");

		if (!at[length] && length) {
			memmove(w->rest, at, length + 1);
			err = follows ? follow_last(w) : 0;
			if (!err)
				return 0;
			err = err > 0 ? 0 : err;
			continue;
		}
		if (!at[length + strspn(at + length, "/")])
			err = -EISDIR;
		else if (length >= sizeof(name))
			err = -ENAMETOOLONG;
		if (err)
			break;
		memcpy(name, at, length);
		name[length] = '\0';
		err = step(w, name, at + length + 1);
	}
	if (w->folder >= 0)
		close(w->folder);
	return err;
}
