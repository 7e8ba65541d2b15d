// SPDX-License-Identifier: MIT
#include "commands/profile/load.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/log.h"
#include "commands/shared/command.h"
#include "profile/text/builtin.h"

static int failed(const char *what, int err)
{
	pr_err("%s: %s", what, strerror(-err));
	return EXIT_FAILED;
}

int cmd_profile_load(const char *path, struct profile **profile)
{
	char message[PROFILE_MESSAGE_MAX];
	int err = profile__load(path, profile, message);

	if (!err) {
		if (*(*profile)->edits)
			pr_warn("%s: %s", path, (*profile)->edits);
		return EXIT_OK;
	}
	if (err == -ENOENT && !strchr(path, '/')) {
		pr_err("%s: no such file, and no built-in profile; these are: %s", path,
		       profile_builtin_names());
		return EXIT_FAILED;
	}
	pr_err("%s: %s", path, *message ? message : strerror(-err));
	return err == -EINVAL ? EXIT_BAD_INPUT : EXIT_FAILED;
}

static mode_t path_mode(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_mode;
}

/* An existing file is replaced only when it is empty or a profile itself. */
static bool may_replace(const char *path)
{
	char head[1024] = "\n";
	struct stat st;
	FILE *file;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return true;
	file = fopen(path, "re");
	if (!file)
		return true;
	head[1 + fread(head + 1, 1, sizeof(head) - 2, file)] = 0;
	fclose(file);
	return strstr(head, "\n[profile]") != NULL;
}

/* Saves into `file`, which is closed. 0 or negative errno. */
static int save_and_close(const struct profile *p, FILE *file, bool sync)
{
	int err = profile__save(p, file);

	if (!err && sync && (fflush(file) || fsync(fileno(file))))
		err = -errno;
	if (fclose(file) && !err)
		err = -errno;
	return err;
}

/*
 * Beside `path`, and put in its place when it is whole: of two profiles one is there at any time,
 * also after a crash, and the new one once this has returned.
 */
static int replace(const struct profile *p, const char *path, const struct stat *old)
{
	char beside[PATH_MAX];
	FILE *file = NULL;
	int fd, err;

	if (snprintf(beside, sizeof(beside), "%s.XXXXXX", path) >= (int)sizeof(beside))
		return -ENAMETOOLONG;
	fd = mkostemp(beside, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if ((fchown(fd, old->st_uid, old->st_gid) && errno != EPERM) ||
	    fchmod(fd, old->st_mode & 07777))
		err = -errno;
	else
		err = (file = fdopen(fd, "w")) ? save_and_close(p, file, true) : -errno;
	if (!file)
		close(fd);
	if (!err && rename(beside, path))
		err = -errno;
	if (err)
		unlink(beside);
	return err ? err : folder_sync_of(path);
}

int cmd_profile_write(const struct profile *p, const char *path)
{
	struct stat old;
	FILE *file;
	int err;

	if (!path || !strcmp(path, "-")) {
		profile__save(p, stdout);
		return cmd_flush_stdout();
	}
	if (!may_replace(path)) {
		pr_err("%s: exists and is not a profile; choose another name for -o", path);
		return EXIT_USAGE;
	}
	/* A file of several names, or behind a link, stays the same file. */
	if (!lstat(path, &old) && S_ISREG(old.st_mode) && old.st_size && old.st_nlink == 1 &&
	    !access(path, W_OK)) {
		err = replace(p, path, &old);
		if (err != -EACCES)
			return err ? failed(path, err) : EXIT_OK;
	}
	file = fopen(path, "we");
	if (!file)
		return failed(path, -errno);
	err = save_and_close(p, file, false);
	if (!err)
		return EXIT_OK;
	/* A part of a profile could pass for another one. */
	if (S_ISREG(path_mode(path)) && truncate(path, 0))
		pr_warn("%s: is incomplete: remove it", path);
	return failed(path, err);
}
