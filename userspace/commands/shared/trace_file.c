// SPDX-License-Identifier: MIT
/* Options of all commands, and messages about a trace that is not whole. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "commands/shared/command.h"

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

int cmd_open_error(const char *path, int err, const char *message)
{
	pr_err("%s: %s", *path ? path : "''", message && *message ? message : strerror(-err));
	switch (err) {
	case -EINVAL:
	case -EISDIR:
	case -ENODATA:
	case -EBADMSG:
	case -EPROTONOSUPPORT:
		return EXIT_BAD_INPUT;
	default:
		return EXIT_FAILED;
	}
}

int cmd_trace_open(const char *path, struct trace_reader **reader)
{
	const char *message = NULL;
	int err = trace_reader__open(path, reader, &message);

	return err ? cmd_open_error(path, err, message) : EXIT_OK;
}

int cmd_trace_finish(const char *path, const struct trace_reader *reader, int err)
{
	switch (trace_reader__end(reader)) {
	case TRACE_END_DAMAGED:
		pr_err("%s: %s", path, trace_reader__end_message(reader));
		return EXIT_BAD_INPUT;
	case TRACE_END_TORN:
		pr_warn("%s: %s", path, trace_reader__end_message(reader));
		return EXIT_INCOMPLETE;
	case TRACE_END_CLEAN:
	case TRACE_END_UNKNOWN:
		break;
	}
	if (err < 0) {
		pr_err("%s: cannot read: %s", path, strerror(-err));
		return EXIT_FAILED;
	}
	return EXIT_OK;
}

int cmd_flush_stdout(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return EXIT_OK;
	if (errno != EPIPE)
		pr_err("cannot write to standard output: %s", strerror(errno));
	return EXIT_FAILED;
}
