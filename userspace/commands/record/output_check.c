// SPDX-License-Identifier: MIT
#include "commands/record/output_check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/exit_codes.h"
#include "base/log.h"

int record_output_hold(const char *path)
{
	return open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

/* A file that may not be looked up is not gone. */
static bool has_name(const struct stat *file, const char *path)
{
	struct stat named;

	if (lstat(path, &named))
		return errno != ENOENT && errno != ENOTDIR;
	return named.st_dev == file->st_dev && named.st_ino == file->st_ino;
}

/* The present name, or "another name" if it is not known: the kernel follows renames, not hard
 * links. */
static const char *name_now(int held, const struct stat *file, char name[PATH_MAX])
{
	char link[64];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", held);
	length = readlink(link, name, PATH_MAX - 1);
	name[length > 0 ? length : 0] = '\0';
	return *name == '/' && has_name(file, name) && !access(name, F_OK) ? name : "another name";
}

static int check(int held, const char *path)
{
	char name[PATH_MAX];
	struct stat file;

	if (fstat(held, &file))
		return EXIT_OK;
	if (!file.st_nlink) {
		pr_err("%s was removed while it was recorded (or moved to another file system, which "
		       "takes a part of it): nothing is left of the recording",
		       path);
		return EXIT_FAILED;
	}
	if (!has_name(&file, path))
		pr_warn("%s was renamed while it was recorded: the recording is whole, under %s",
			path, name_now(held, &file, name));
	return EXIT_OK;
}

int record_output_check(int held, const char *path)
{
	int code;

	if (held < 0) {
		if (!access(path, F_OK) || errno != ENOENT)
			return EXIT_OK;
		pr_err("%s is not there any more: it was removed or renamed while it was recorded",
		       path);
		return EXIT_FAILED;
	}
	code = check(held, path);
	close(held);
	return code;
}
