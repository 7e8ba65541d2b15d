// SPDX-License-Identifier: MIT
#include "replay/session/trace_file.h"

#include <errno.h>
#include <string.h>

#include "base/exit_codes.h"
#include "base/log.h"
#include "profile/profile.h"
#include "trace/file/problem.h"

int replay_trace_open_failed(const char *path, int err, const char *message,
			     struct failure *failure)
{
	struct trace_problem problem;

	trace_problem_of_open(path, err, message, &problem);
	return failure_add(failure, problem.exit_code, "%s", problem.message);
}

int replay_trace_open(const char *path, struct trace_reader **reader, struct failure *failure)
{
	const char *message = NULL;
	int err = trace_reader__open(path, reader, &message);

	return err ? replay_trace_open_failed(path, err, message, failure) : 0;
}

int replay_trace_finish(const char *path, const struct trace_reader *reader, int err, bool *torn,
			struct failure *failure)
{
	struct trace_problem problem;

	trace_problem_of_end(path, reader, err, &problem);
	if (!problem.exit_code)
		return 0;
	if (problem.exit_code != EXIT_INCOMPLETE)
		return failure_add(failure, problem.exit_code, "%s", problem.message);
	pr_warn("%s", problem.message);
	*torn = true;
	return 0;
}

void replay_warn_missing(const char *path, const struct missing_rows *missing, enum row_kind kind)
{
	char text[MISSING_TEXT_MAX];

	if (missing_rows__text(missing, kind, text))
		pr_warn("%s: %s", path, text);
}

int replay_trace_missing(const char *path, struct trace_reader *reader,
			 const struct replay_window *window, enum row_kind kind,
			 struct missing_rows *missing, struct failure *failure)
{
	int err = missing_rows__scan(reader, window->from_ns, window->to_ns, missing);

	if (err && err != -EBADMSG)
		return failure_add_errno(failure, err, "%s: cannot read", path);
	replay_warn_missing(path, missing, kind);
	return 0;
}

int replay_profile_invalid(const char *path, const char *message, struct failure *failure)
{
	size_t prefix = strlen(PROFILE_NO_PROFILE);

	if (strncmp(message, PROFILE_NO_PROFILE, prefix))
		return failure_add(failure, EXIT_BAD_INPUT, "%s: %s", path, message);
	return failure_add(failure, EXIT_BAD_INPUT, "%s: neither a trace nor a profile: %s", path,
			   message + prefix);
}
