/* SPDX-License-Identifier: MIT */
/* What is wrong with a trace that cannot be opened, or that did not end well: message and exit code. */
#ifndef BLKREEL_TRACE_FILE_PROBLEM_H
#define BLKREEL_TRACE_FILE_PROBLEM_H

#include "trace/file/reader.h"

#define TRACE_PROBLEM_MAX 512

struct trace_problem {
	int exit_code;			 /* enum exit_code; EXIT_OK: there is none */
	char message[TRACE_PROBLEM_MAX]; /* one line that begins with the path; "": there is none */
};

/*
 * Of an open of `path` that returned `err` (negative errno) and `message` (or NULL): EXIT_BAD_INPUT
 * for a file that is no readable trace, else EXIT_FAILED.
 */
void trace_problem_of_open(const char *path, int err, const char *message,
			   struct trace_problem *problem);

/*
 * After reading, whose last call returned `err` (0 or negative errno): EXIT_INCOMPLETE (cut; what
 * is whole can be used), EXIT_BAD_INPUT (damaged) or EXIT_FAILED (cannot be read).
 */
void trace_problem_of_end(const char *path, const struct trace_reader *reader, int err,
			  struct trace_problem *problem);

#endif
