// SPDX-License-Identifier: MIT
#include "base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/path_walk.h"

#define BESIDE_TRIES 100

/* Others may write here, and so put a file of theirs in the place of another. */
static bool is_shared(const struct stat *folder)
{
	return folder->st_mode & (S_IWGRP | S_IWOTH);
}

/* Whether an existing file may become the output, by its stat(2) and that of its folder. */
static int check_status(const struct output_kind *kind, const struct stat *folder,
			const struct stat *st)
{
	bool is_stream = kind->streams && (S_ISFIFO(st->st_mode) || S_ISCHR(st->st_mode));

	if (S_ISLNK(st->st_mode))
		return -ELOOP;
	if (!S_ISREG(st->st_mode) && !is_stream)
		return -EEXIST;
	/* Another owner could have the file open, or change its mode. */
	if (st->st_uid != path_walk__user() && !S_ISCHR(st->st_mode) &&
	    (kind->is_private || (st->st_uid != folder->st_uid && is_shared(folder))))
		return -EUSERS;
	return st->st_nlink > 1 && !is_stream ? -EMLINK : 0;
}

static int check_at(const struct path_walk *w, const struct output_kind *kind,
		    const struct stat *st)
{
	struct stat folder;

	return fstat(w->folder, &folder) ? -errno : check_status(kind, &folder, st);
}

/* Only a file that is empty or of the same kind may be replaced. */
static int check_content(const struct output_kind *kind, int fd, const struct stat *st)
{
	char head[OUTPUT_HEAD_BYTES + 1];
	ssize_t got;

	if (!kind->is_one)
		return -EEXIST;
	if (!st->st_size)
		return 0;
	got = pread(fd, head, OUTPUT_HEAD_BYTES, 0);
	if (got < 0)
		return -errno;
	head[got] = '\0';
	return kind->is_one(head, (size_t)got) ? 0 : -EEXIST;
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
static int open_existing(const struct path_walk *w, const struct output_kind *kind, int *fd)
{
	struct stat st;
	int err;

	if (fstatat(w->folder, w->rest, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	err = check_at(w, kind, &st);
	if (!err && !S_ISREG(st.st_mode))
		err = -EEXIST;
	if (err)
		return err;
	*fd = openat(w->folder, w->rest, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (*fd < 0)
		return -errno;
	err = fstat(*fd, &st) ? -errno : check_at(w, kind, &st);
	if (!err)
		err = lock(*fd);
	if (!err)
		err = check_content(kind, *fd, &st);
	if (err)
		close(*fd);
	return err;
}

static int open_emptied(const struct path_walk *w, const struct output_kind *kind, int *fd)
{
	struct stat st;
	int err = open_existing(w, kind, fd);

	if (err)
		return err;
	err = fstat(*fd, &st) ? -errno : empty(*fd, &st);
	if (err)
		close(*fd);
	return err;
}

static mode_t mode_of(const struct output_kind *kind)
{
	return kind->is_private ? 0600 : 0666;
}

static int create_new(const struct path_walk *w, const struct output_kind *kind, const char *name,
		      int *fd)
{
	int err;

	*fd = openat(w->folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		     mode_of(kind));
	if (*fd < 0)
		return -errno;
	err = lock(*fd);
	if (err)
		close(*fd);
	return err;
}

/* The stream is looked at again once it is open: another may have its name by then. */
static int open_stream(const struct path_walk *w, const struct output_kind *kind,
		       const struct stat *looked_at, int *fd)
{
	struct stat st;
	int err;

	*fd = openat(w->folder, w->rest, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY);
	if (*fd < 0)
		return -errno;
	if (fstat(*fd, &st))
		err = -errno;
	else if (st.st_dev != looked_at->st_dev || st.st_ino != looked_at->st_ino ||
		 (st.st_mode & S_IFMT) != (looked_at->st_mode & S_IFMT))
		err = -EBUSY;
	else
		err = check_at(w, kind, &st);
	if (err)
		close(*fd);
	return err;
}

/* "/dev/stdout" and the like are descriptors of this process: links that nobody can change. */
static int descriptor_of(const char *path)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
	char *end;
	long number;

	if (!strcmp(path, "-") || !strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		size_t length = strlen(folders[i]);

		if (strncmp(path, folders[i], length) || path[length] < '0' || path[length] > '9')
			continue;
		number = strtol(path + length, &end, 10);
		return *end || number > INT_MAX ? -1 : (int)number;
	}
	return -1;
}

/* Those that blkreel opened itself are closed in programs that it executes. */
static int take_descriptor(int number, int *fd)
{
	int flags = fcntl(number, F_GETFD);

	if (flags < 0 || (number > STDERR_FILENO && flags & FD_CLOEXEC))
		return -EBADF;
	*fd = fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return *fd < 0 ? -errno : 0;
}

/* The path exists. */
static int open_old(const struct path_walk *w, const struct output_kind *kind, bool must_be_new,
		    int *fd)
{
	struct stat st;

	if (fstatat(w->folder, w->rest, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	if (kind->streams && (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)))
		return check_at(w, kind, &st) ?: open_stream(w, kind, &st, fd);
	return must_be_new ? -EEXIST : open_emptied(w, kind, fd);
}

int output_file__open(const char *path, const struct output_kind *kind, bool must_be_new, int *fd)
{
	struct path_walk w;
	int err;

	if (kind->streams && descriptor_of(path) >= 0)
		return take_descriptor(descriptor_of(path), fd);
	err = path_walk__to(&w, path, kind->follows);
	if (err)
		return err;
	err = create_new(&w, kind, w.rest, fd);
	if (err == -EEXIST)
		err = open_old(&w, kind, must_be_new, fd);
	close(w.folder);
	return err;
}

struct output_file {
	struct path_walk at;
	int fd;			 /* of the new file; -1: a stream is written to */
	int old;		 /* the file to replace, open and locked; -1: there is none */
	bool keeps_status;	 /* the new file gets the owner and the mode of the old one */
	char made[NAME_MAX + 1]; /* the name that the new file has so far; "": none */
};

/* What a signal handler looks at. A signal waits while they change. */
static struct output_file *volatile unfinished;
static volatile sig_atomic_t is_made;

void output_file__abandon(void)
{
	const struct output_file *f = unfinished;

	if (f && *f->made)
		unlinkat(f->at.folder, f->made, 0);
}

bool output_file__is_made(void)
{
	return is_made;
}

static void hold_signals(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, before);
}

static void release_signals(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* An unused name beside that of the file. */
static int choose_name(struct output_file *f)
{
	uint32_t number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return -errno;
	snprintf(f->made, sizeof(f->made), "%.*s.%08" PRIx32,
		 (int)(sizeof(f->made) - sizeof(".12345678")), f->at.rest, number);
	return 0;
}

/* On file systems without files that have no name. */
static int create_beside(struct output_file *f, const struct output_kind *kind)
{
	int err = -EEXIST;
	sigset_t before;

	hold_signals(&before);
	for (int tries = 0; err == -EEXIST && tries < BESIDE_TRIES; tries++) {
		err = choose_name(f);
		if (!err)
			err = create_new(&f->at, kind, f->made, &f->fd);
	}
	if (err) {
		f->made[0] = '\0';
		f->fd = -1;
	} else {
		unfinished = f;
	}
	release_signals(&before);
	return err;
}

/* Only the kernel's /proc leads from a descriptor to a name. */
static bool can_be_named(int fd)
{
	char path[64], target[8];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, target, sizeof(target)) > 0;
}

/* Nothing of a file without a name is left when this process is killed. */
static int create_nameless(struct output_file *f, const struct output_kind *kind)
{
	f->fd = openat(f->at.folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode_of(kind));
	if (f->fd >= 0 && can_be_named(f->fd))
		return 0;
	if (f->fd < 0 && errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL &&
	    errno != ENOENT)
		return -errno;
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	return create_beside(f, kind);
}

static int begin_at(struct output_file *f, const struct output_kind *kind, bool *is_stream)
{
	struct stat st;
	int err;

	*is_stream = false;
	if (fstatat(f->at.folder, f->at.rest, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? create_nameless(f, kind) : -errno;
	err = check_at(&f->at, kind, &st);
	if (err)
		return err;
	if (!S_ISREG(st.st_mode)) {
		*is_stream = true;
		err = open_stream(&f->at, kind, &st, &f->fd);
		if (err)
			f->fd = -1;
		return err;
	}
	err = open_existing(&f->at, kind, &f->old);
	if (err) {
		f->old = -1;
		return err;
	}
	f->keeps_status = !kind->is_private;
	return create_nameless(f, kind);
}

int output_file__begin(const char *path, const struct output_kind *kind, struct output_file **file,
		       int *fd)
{
	struct output_file *f;
	bool is_stream;
	int err;

	*file = NULL;
	if (kind->streams && descriptor_of(path) >= 0)
		return take_descriptor(descriptor_of(path), fd);
	f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	f->fd = f->old = -1;
	err = path_walk__to(&f->at, path, kind->follows);
	if (err) {
		free(f);
		return err;
	}
	err = begin_at(f, kind, &is_stream);
	*fd = err ? -1 : fcntl(f->fd, F_DUPFD_CLOEXEC, 0);
	if (!err && *fd < 0)
		err = -errno;
	if (err || is_stream) {
		output_file__end(f, false);
		return err;
	}
	*file = f;
	return 0;
}

/* Gives the new file a name that no file has. */
static int link_as(const struct output_file *f, const char *name)
{
	char path[64];

	if (!*f->made) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", f->fd);
		return linkat(AT_FDCWD, path, f->at.folder, name, AT_SYMLINK_FOLLOW) ? -errno : 0;
	}
	/* File systems without RENAME_NOREPLACE have links. */
	if (linkat(f->at.folder, f->made, f->at.folder, name, 0))
		return errno == EPERM && !renameat2(f->at.folder, f->made, f->at.folder, name,
						    RENAME_NOREPLACE)
			       ? 0
			       : -errno;
	return unlinkat(f->at.folder, f->made, 0) ? -errno : 0;
}

static int name_beside(struct output_file *f)
{
	struct output_file named = *f;
	int err = -EEXIST;

	if (*f->made)
		return 0;
	for (int tries = 0; err == -EEXIST && tries < BESIDE_TRIES; tries++) {
		err = choose_name(&named);
		if (!err)
			err = link_as(f, named.made);
	}
	if (!err)
		strcpy(f->made, named.made);
	return err;
}

/* The file stays readable for who could read it: by its owner and mode, as far as this user may. */
static int copy_status(const struct output_file *f, const struct stat *old)
{
	if (!f->keeps_status)
		return 0;
	if ((fchown(f->fd, old->st_uid, old->st_gid) && errno != EPERM) ||
	    fchmod(f->fd, old->st_mode & 0777))
		return -errno;
	return 0;
}

/* Replaces the old file only if it is the one that was checked. */
static int replace_old(struct output_file *f)
{
	struct stat looked_at, now;
	int err;

	if (fstat(f->old, &looked_at))
		return -errno;
	err = copy_status(f, &looked_at);
	if (!err)
		err = name_beside(f);
	if (err)
		return err;
	if (fstatat(f->at.folder, f->at.rest, &now, AT_SYMLINK_NOFOLLOW))
		return -errno;
	if (looked_at.st_dev != now.st_dev || looked_at.st_ino != now.st_ino)
		return -EBUSY;
	if (renameat(f->at.folder, f->made, f->at.folder, f->at.rest))
		return -errno;
	f->made[0] = '\0';
	return 0;
}

static int name_new(struct output_file *f)
{
	int err = link_as(f, f->at.rest);

	if (!err)
		f->made[0] = '\0';
	return err == -EEXIST ? -EBUSY : err;
}

/* Gives the file its name if it is to be kept, and removes what is left under another. */
static int settle(struct output_file *f, bool keep)
{
	sigset_t before;
	int err = 0;

	hold_signals(&before);
	if (keep)
		err = f->old >= 0 ? replace_old(f) : name_new(f);
	if (keep && !err)
		is_made = true;
	if (*f->made)
		unlinkat(f->at.folder, f->made, 0);
	unfinished = NULL;
	release_signals(&before);
	return err;
}

int output_file__end(struct output_file *f, bool keep)
{
	int err = 0, named;

	if (!f)
		return 0;
	if (keep && fsync(f->fd) && errno != EINVAL)
		err = -errno;
	named = settle(f, keep && !err);
	err = err ? err : named;
	if (keep && !err)
		err = folder_sync(f->at.folder, ".");
	if (f->fd >= 0)
		close(f->fd);
	if (f->old >= 0)
		close(f->old);
	close(f->at.folder);
	free(f);
	return err;
}

void output_file__remove(const char *path, const struct output_kind *kind, const struct stat *made)
{
	struct stat st;
	struct path_walk w;

	if (path_walk__to(&w, path, kind->follows))
		return;
	if (!fstatat(w.folder, w.rest, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) &&
	    !check_at(&w, kind, &st) && st.st_dev == made->st_dev && st.st_ino == made->st_ino)
		unlinkat(w.folder, w.rest, 0);
	close(w.folder);
}

int output_file__check(const char *path, const struct output_kind *kind)
{
	struct stat st;
	struct path_walk w;
	int err = path_walk__to(&w, path, kind->follows);

	if (err)
		return err;
	if (!fstatat(w.folder, w.rest, &st, AT_SYMLINK_NOFOLLOW)) {
		err = check_at(&w, kind, &st);
		if (!err && faccessat(w.folder, w.rest, R_OK | W_OK, 0))
			err = -errno;
	} else if (errno != ENOENT || faccessat(w.folder, ".", W_OK | X_OK, 0)) {
		err = -errno;
	}
	close(w.folder);
	return err;
}

void output_file__explain(const char *path, const struct output_kind *kind, int err, char *message,
			  size_t bytes)
{
	switch (err) {
	case -EEXIST:
		if (kind->is_one)
			snprintf(message, bytes, "%s exists and is not a %s: name another file",
				 path, kind->name);
		else
			snprintf(message, bytes, "%s exists already: name another file", path);
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
