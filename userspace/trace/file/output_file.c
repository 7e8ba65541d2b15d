// SPDX-License-Identifier: MIT
#include "trace/file/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "trace/format.h"

#define LINKS_MAX    40 /* the kernel's limit */
#define BESIDE_TRIES 100

/* The state of a walk: `folder` is open, `rest` of the path is ahead. */
struct walk {
	int folder;
	char rest[2 * PATH_MAX];
	unsigned int links;
};

static bool is_ours(uid_t owner)
{
	return !owner || owner == geteuid();
}

/* A link is trusted when only root or this user can have created it. */
static bool is_trusted(const struct stat *folder, const struct stat *link)
{
	bool closed = is_ours(folder->st_uid) && !(folder->st_mode & (S_IWGRP | S_IWOTH));

	return is_ours(link->st_uid) || closed;
}

static void step_into(struct walk *w, int folder)
{
	if (w->folder >= 0)
		close(w->folder);
	w->folder = folder;
}

static int start_at(struct walk *w, const char *folder)
{
	int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	step_into(w, fd);
	return 0;
}

/* Puts the target of the link before the rest of the path. */
static int follow(struct walk *w, int link, const char *rest)
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
	used = snprintf(whole, sizeof(whole), "%s/%s", target, rest);
	if (used < 0 || (size_t)used >= sizeof(whole))
		return -ENAMETOOLONG;
	strcpy(w->rest, whole);
	return target[0] == '/' ? start_at(w, "/") : 0;
}

/* Walks into one folder or link; `rest` is the path behind it. */
static int step(struct walk *w, const char *name, const char *rest)
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
	err = follow(w, fd, rest);
	close(fd);
	return err;
}

/*
 * Walks to the folder that holds the file; the name of the file is left in the path. On success the
 * caller closes w->folder.
 */
static int walk_to(struct walk *w, const char *path)
{
	char name[NAME_MAX + 1];
	int err;

	*w = (struct walk){.folder = -1};
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
			return 0;
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

/* Whether an existing file may become the output, by its stat(2). */
static int check_status(const struct stat *st)
{
	if (S_ISLNK(st->st_mode))
		return -ELOOP;
	if (!S_ISREG(st->st_mode))
		return -EEXIST;
	/* Another owner could have the file open, or change its mode. */
	if (st->st_uid != geteuid())
		return -EUSERS;
	return st->st_nlink > 1 ? -EMLINK : 0;
}

/* Only a file that is empty or starts like a trace may be replaced. */
static int check_content(int fd, const struct stat *st)
{
	char magic[TRACE_MAGIC_BYTES];
	ssize_t got;

	if (!st->st_size)
		return 0;
	got = pread(fd, magic, sizeof(magic), 0);
	if (got < 0)
		return -errno;
	if (got < (ssize_t)sizeof(magic) || memcmp(magic, TRACE_MAGIC, sizeof(magic)))
		return -EEXIST;
	return 0;
}

static int lock(int fd)
{
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return 0;
	return errno == EWOULDBLOCK ? -EBUSY : -errno;
}

static int empty(int fd, const struct stat *st)
{
	if (st->st_size && ftruncate(fd, 0))
		return -errno;
	return (st->st_mode & 07777) != 0600 && fchmod(fd, 0600) ? -errno : 0;
}

/* Checks the type before open(2): to open a FIFO or a device can have side effects. */
static int open_existing(const struct walk *w, int *fd)
{
	struct stat st;
	int err;

	if (fstatat(w->folder, w->rest, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	err = check_status(&st);
	if (err)
		return err;
	*fd = openat(w->folder, w->rest, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (*fd < 0)
		return -errno;
	err = fstat(*fd, &st) ? -errno : check_status(&st);
	if (!err)
		err = lock(*fd);
	if (!err)
		err = check_content(*fd, &st);
	if (err)
		close(*fd);
	return err;
}

static int open_emptied(const struct walk *w, int *fd)
{
	struct stat st;
	int err = open_existing(w, fd);

	if (err)
		return err;
	err = fstat(*fd, &st) ? -errno : empty(*fd, &st);
	if (err)
		close(*fd);
	return err;
}

static int create_new(const struct walk *w, const char *name, int *fd)
{
	int err;

	*fd = openat(w->folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (*fd < 0)
		return -errno;
	err = lock(*fd);
	if (err)
		close(*fd);
	return err;
}

int output_file__open(const char *path, bool must_be_new, int *fd)
{
	struct walk w;
	int err = walk_to(&w, path);

	if (err)
		return err;
	err = create_new(&w, w.rest, fd);
	if (err == -EEXIST && !must_be_new)
		err = open_emptied(&w, fd);
	close(w.folder);
	return err;
}

struct output_file {
	struct walk at;
	int old; /* the file to replace, open and locked; -1: there is none */
	char made[NAME_MAX + 1];
};

/* Creates the new file under an unused name. */
static int create_beside(struct output_file *f, int *fd)
{
	uint32_t number;
	int err = -EEXIST;

	for (int tries = 0; err == -EEXIST && tries < BESIDE_TRIES; tries++) {
		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			return -errno;
		snprintf(f->made, sizeof(f->made), "%.*s.%08" PRIx32,
			 (int)(sizeof(f->made) - sizeof(".12345678")), f->at.rest, number);
		err = create_new(&f->at, f->made, fd);
	}
	return err;
}

int output_file__begin(const char *path, struct output_file **file, int *fd)
{
	struct output_file *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return -ENOMEM;
	f->old = -1;
	err = walk_to(&f->at, path);
	if (err) {
		free(f);
		return err;
	}
	snprintf(f->made, sizeof(f->made), "%s", f->at.rest);
	err = create_new(&f->at, f->made, fd);
	if (err == -EEXIST) {
		err = open_existing(&f->at, &f->old);
		if (!err)
			err = create_beside(f, fd);
		else
			f->old = -1;
	}
	if (err) {
		f->made[0] = '\0';
		output_file__end(f, false);
		return err;
	}
	*file = f;
	return 0;
}

/* Replaces the old file only if it is the one that was checked. */
static int replace_old(const struct output_file *f)
{
	struct stat looked_at, now;

	if (fstat(f->old, &looked_at) ||
	    fstatat(f->at.folder, f->at.rest, &now, AT_SYMLINK_NOFOLLOW))
		return -errno;
	if (looked_at.st_dev != now.st_dev || looked_at.st_ino != now.st_ino)
		return -EBUSY;
	return renameat(f->at.folder, f->made, f->at.folder, f->at.rest) ? -errno : 0;
}

int output_file__end(struct output_file *f, bool keep)
{
	struct stat made;
	int err = 0;

	if (!f)
		return 0;
	if (keep && f->old >= 0)
		err = replace_old(f);
	/* The file or the folder may have been removed meanwhile; then its place is unknown. */
	else if (keep && fstatat(f->at.folder, f->made, &made, AT_SYMLINK_NOFOLLOW))
		err = -errno;
	if (keep && !err)
		err = folder_sync(f->at.folder, ".");
	else if (*f->made)
		unlinkat(f->at.folder, f->made, 0);
	if (f->old >= 0)
		close(f->old);
	close(f->at.folder);
	free(f);
	return err;
}

void output_file__remove(const char *path)
{
	struct stat st;
	struct walk w;

	if (walk_to(&w, path))
		return;
	if (!fstatat(w.folder, w.rest, &st, AT_SYMLINK_NOFOLLOW) && !check_status(&st))
		unlinkat(w.folder, w.rest, 0);
	close(w.folder);
}

int output_file__check(const char *path)
{
	struct stat st;
	struct walk w;
	int err = walk_to(&w, path);

	if (err)
		return err;
	if (!fstatat(w.folder, w.rest, &st, AT_SYMLINK_NOFOLLOW)) {
		err = check_status(&st);
		if (!err && faccessat(w.folder, w.rest, R_OK | W_OK, 0))
			err = -errno;
	} else if (errno != ENOENT || faccessat(w.folder, ".", W_OK | X_OK, 0)) {
		err = -errno;
	}
	close(w.folder);
	return err;
}

void output_file__explain(const char *path, int err, char *message, size_t bytes)
{
	switch (err) {
	case -EEXIST:
		snprintf(message, bytes, "%s exists and is not a trace: name another file", path);
		break;
	case -ELOOP:
		snprintf(message, bytes, "%s is a symbolic link: name the file itself with -o",
			 path);
		break;
	case -EXDEV:
		snprintf(message, bytes,
			 "%s is reached over a symbolic link that another user could have made: "
			 "name the folder that it leads to",
			 path);
		break;
	case -EUSERS:
		snprintf(message, bytes,
			 "%s belongs to another user, who could read what is written into it: "
			 "name another file",
			 path);
		break;
	case -EMLINK:
		snprintf(message, bytes,
			 "%s has more hard links, which would change, too: name "
			 "another file",
			 path);
		break;
	case -EBUSY:
		snprintf(message, bytes,
			 "%s is being written by another blkreel: name another file", path);
		break;
	default:
		snprintf(message, bytes, "cannot write %s: %s", path, strerror(-err));
		break;
	}
}
