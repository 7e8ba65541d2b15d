// SPDX-License-Identifier: MIT
/* Options of all commands, and messages about a trace that is not whole. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "commands/shared/command.h"
#include "profile/profile.h"
#include "trace/file/problem.h"

bool cmd_options(const struct command_usage *usage, int argc, char **argv, void *config,
		 int *operand, int *separator, int *code)
{
	*code = EXIT_OK;
	switch (options_parse(usage, argc, argv, config, operand, separator)) {
	case OPTIONS_HELP:
		*code = cmd_flush_stdout();
		return false;
	case OPTIONS_USAGE:
		*code = EXIT_USAGE;
		return false;
	case OPTIONS_OK:
		break;
	}
	return true;
}

static bool is_profile(const char *path)
{
	char message[PROFILE_MESSAGE_MAX];
	struct profile *profile;
	struct stat file;

	/* To open a FIFO would take the writer away from another reader. */
	if (stat(path, &file) || !S_ISREG(file.st_mode) || profile__load(path, &profile, message))
		return false;
	profile__free(profile);
	return true;
}

int cmd_open_error(const char *path, int err, const char *message)
{
	struct trace_problem problem;

	if (err == -EINVAL && is_profile(path))
		message = "is a profile, not a trace: 'blkreel profile show' draws it";
	trace_problem_of_open(path, err, message, &problem);
	pr_err("%s", problem.message);
	return problem.exit_code;
}

int cmd_trace_open(const char *path, struct trace_reader **reader)
{
	const char *message = NULL;
	int err = trace_reader__open(path, reader, &message);

	return err ? cmd_open_error(path, err, message) : EXIT_OK;
}

int cmd_trace_finish(const char *path, const struct trace_reader *reader, int err)
{
	struct trace_problem problem;

	trace_problem_of_end(path, reader, err, &problem);
	if (problem.exit_code == EXIT_INCOMPLETE)
		pr_warn("%s", problem.message);
	else if (problem.exit_code)
		pr_err("%s", problem.message);
	return problem.exit_code;
}

int cmd_flush_stdout(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return EXIT_OK;
	if (errno != EPIPE)
		pr_err("cannot write to standard output: %s", strerror(errno));
	return EXIT_FAILED;
}
