// SPDX-License-Identifier: MIT
#include "commands/profile/fio.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "commands/shared/command.h"
#include "commands/profile/load.h"
#include "commands/shared/profile_files.h"
#include "profile/fio/fio.h"

static int failed(const char *path, int err)
{
	pr_err("%s: %s", path, strerror(-err));
	return EXIT_FAILED;
}

static int no_job(const char *path)
{
	pr_err("%s: fio can run none of its streams: fio has reads, writes and discards of data",
	       path);
	return EXIT_USAGE;
}

static int write_job(const struct profile *p, const char *path, const char *output)
{
	FILE *file = fopen(output, "wxe");
	int err;

	if (!file && errno == EEXIST) {
		pr_err("%s: exists already; choose another name for -o", output);
		return EXIT_USAGE;
	}
	if (!file)
		return failed(output, -errno);
	err = profile__to_fio(p, file);
	if (fclose(file) && !err)
		err = -errno;
	if (err) /* a part of it would run, too */
		unlink(output);
	if (err == -ENODATA)
		return no_job(path);
	return err ? failed(output, err) : EXIT_OK;
}

int cmd_profile_to_fio(const char *path, const char *output)
{
	struct profile *profile;
	int code = cmd_profile_load(path, &profile);

	if (code)
		return code;
	code = cmd_profile_need_device(profile, path, "--to-fio");
	if (!code && output && strcmp(output, "-")) {
		code = write_job(profile, path, output);
	} else if (!code) {
		code = profile__to_fio(profile, stdout) == -ENODATA ? no_job(path)
								    : cmd_flush_stdout();
	}
	profile__free(profile);
	return code;
}

static void print_note(const char *text, void *context)
{
	const char *path = context;

	pr_warn("%s: %s", path, text);
}

int cmd_profile_from_fio(const char *path, const char *output)
{
	char message[PROFILE_MESSAGE_MAX];
	struct profile *profile;
	FILE *file = fopen(path, "re");
	struct stat st;
	int err, code;

	if (!file)
		return failed(path, -errno);
	if (!fstat(fileno(file), &st) && S_ISDIR(st.st_mode)) {
		fclose(file);
		pr_err("%s: is a directory, not a job file", path);
		return EXIT_BAD_INPUT;
	}
	err = profile__from_fio(file, print_note, (void *)path, &profile, message);
	fclose(file);
	if (err == -EINVAL) {
		pr_err("%s: %s", path, message);
		return EXIT_BAD_INPUT;
	}
	if (err == -ERANGE) {
		pr_err("%s: its sizes or addresses exceed what a profile can hold", path);
		return EXIT_BAD_INPUT;
	}
	if (err)
		return failed(path, err);
	code = profile__check(profile, message, NULL);
	if (code) {
		pr_err("%s: %s", path, message);
		code = EXIT_BAD_INPUT;
	} else {
		code = cmd_profile_write(profile, output);
	}
	profile__free(profile);
	return code;
}
