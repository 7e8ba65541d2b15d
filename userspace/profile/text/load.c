// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "profile/text/builtin.h"
#include "profile/profile.h"

/* Opening it waits for a writer; whoever named a FIFO by mistake would wait without knowing why. */
static void notice_fifo(const char *path)
{
	struct stat file;

	if (isatty(STDERR_FILENO) && !stat(path, &file) && S_ISFIFO(file.st_mode))
		pr_info("%s is a FIFO: reading what another program writes to it", path);
}

/* The whole file and how many bytes; more than PROFILE_FILE_MAX is reported as that plus one. */
static int read_file(const char *path, char **text, size_t *text_bytes)
{
	bool is_stdin = !strcmp(path, "-");
	FILE *file;
	int err = 0;

	notice_fifo(path);
	file = is_stdin ? fdopen(dup(STDIN_FILENO), "r") : fopen(path, "re");
	if (!file)
		return -errno;
	*text = malloc(PROFILE_FILE_MAX + 1);
	if (!*text) {
		fclose(file);
		return -ENOMEM;
	}
	errno = 0;
	*text_bytes = fread(*text, 1, PROFILE_FILE_MAX + 1, file);
	if (ferror(file))
		err = errno ? -errno : -EIO;
	fclose(file);
	return err;
}

int profile__load(const char *path, struct profile **profile, char message[PROFILE_MESSAGE_MAX])
{
	const char *why = NULL;
	char *text = NULL;
	size_t text_bytes = 0;
	int err;

	message[0] = 0;
	if (access(path, F_OK) && profile_builtin(path))
		return profile__parse(profile_builtin(path), strlen(profile_builtin(path)), profile,
				      message);
	err = read_file(path, &text, &text_bytes);
	if (err == -EISDIR)
		why = "it is a directory";
	else if (!err && !text_bytes)
		why = "it is empty" PROFILE_HOW_MADE;
	else if (!err && text_bytes > PROFILE_FILE_MAX)
		why = "it is larger than 1 MiB" PROFILE_HOW_MADE;
	if (why) {
		snprintf(message, PROFILE_MESSAGE_MAX, PROFILE_NO_PROFILE "%s", why);
		err = -EINVAL;
	}
	if (!err)
		err = profile__parse(text, text_bytes, profile, message);
	free(text);
	return err;
}

int profile__check(const struct profile *p, char message[PROFILE_MESSAGE_MAX])
{
	struct profile *again = NULL;
	char *text = NULL;
	size_t text_bytes = 0;
	int err = profile__save_text(p, &text, &text_bytes), at = 0;

	message[0] = 0;
	if (!err)
		err = profile__parse(text, text_bytes, &again, message);
	/* Nobody has seen the text. */
	sscanf(message, "line %*d: %n", &at);
	memmove(message, message + at, strlen(message + at) + 1);
	profile__free(again);
	free(text);
	return err;
}
