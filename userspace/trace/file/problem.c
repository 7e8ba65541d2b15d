// SPDX-License-Identifier: MIT
#include "trace/file/problem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/exit_codes.h"

static bool is_bad_file(int err)
{
	return err == -EINVAL || err == -EISDIR || err == -ENODATA || err == -EBADMSG ||
	       err == -EPROTONOSUPPORT;
}

void trace_problem_of_open(const char *path, int err, const char *message,
			   struct trace_problem *problem)
{
	problem->exit_code = is_bad_file(err) ? EXIT_BAD_INPUT : EXIT_FAILED;
	snprintf(problem->message, sizeof(problem->message), "%s: %s", *path ? path : "''",
		 message && *message ? message : strerror(-err));
}

void trace_problem_of_end(const char *path, const struct trace_reader *reader, int err,
			  struct trace_problem *problem)
{
	*problem = (struct trace_problem){.exit_code = EXIT_OK};
	switch (trace_reader__end(reader)) {
	case TRACE_END_DAMAGED:
		problem->exit_code = EXIT_BAD_INPUT;
		break;
	case TRACE_END_TORN:
		problem->exit_code = EXIT_INCOMPLETE;
		break;
	case TRACE_END_CLEAN:
	case TRACE_END_UNKNOWN:
		problem->exit_code = err < 0 ? EXIT_FAILED : EXIT_OK;
		break;
	}
	if (problem->exit_code == EXIT_FAILED)
		snprintf(problem->message, sizeof(problem->message), "%s: cannot read: %s", path,
			 strerror(-err));
	else if (problem->exit_code)
		snprintf(problem->message, sizeof(problem->message), "%s: %s", path,
			 trace_reader__end_message(reader));
}
