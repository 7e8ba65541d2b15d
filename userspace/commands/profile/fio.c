// SPDX-License-Identifier: MIT
#include "commands/profile/fio.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "commands/shared/command.h"
#include "commands/profile/load.h"
#include "commands/shared/profile_files.h"
#include "commands/shared/text_output.h"
#include "jobs/fio.h"

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

static const struct output_kind job_kind = {.name = "job file", .streams = true};

/* A part of a job would run, too: the path gets a whole one or none. */
static int write_job(const struct profile *p, const char *path, const char *output)
{
	struct text_output job;
	int err = text_output__begin(&job, output, &job_kind);

	if (err)
		return cmd_profile_cannot_write(output, &job_kind, err);
	err = text_output__end(&job, profile__to_fio(p, job.file));
	if (err == -ENODATA)
		return no_job(path);
	return err ? cmd_profile_cannot_write(output, &job_kind, err) : EXIT_OK;
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
	err = profile__from_fio(file, path, print_note, (void *)path, &profile, message);
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
	err = profile__check(profile, message);
	if (err == -EINVAL) {
		pr_err("%s: %s", path, message);
		code = EXIT_BAD_INPUT;
	} else {
		code = err ? failed(path, err) : cmd_profile_write(profile, output);
	}
	profile__free(profile);
	return code;
}
