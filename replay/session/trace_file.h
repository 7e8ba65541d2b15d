/* SPDX-License-Identifier: MIT */
/* Opening and reading the trace or the profile of a replay: what a failure is called, and its exit code. */
#ifndef BLKREEL_REPLAY_SESSION_TRACE_FILE_H
#define BLKREEL_REPLAY_SESSION_TRACE_FILE_H

#include <stdbool.h>

#include "replay/session/failure.h"
#include "replay/source/window.h"
#include "trace/file/reader.h"
#include "workload/missing_rows.h"

/* Opens a trace; it is to be freed. 0, or -1 with *failure. */
int replay_trace_open(const char *path, struct trace_reader **reader, struct failure *failure);

/* Of an open that returned `err` (negative errno) and `message` (or NULL). Returns -1. */
int replay_trace_open_failed(const char *path, int err, const char *message,
			     struct failure *failure);

/*
 * After reading, whose last call returned `err` (0 or negative errno). 0; -1 with *failure for a trace that is damaged or
 * cannot be read. *torn: it was cut, and a warning says so.
 */
int replay_trace_finish(const char *path, const struct trace_reader *reader, int err, bool *torn,
			struct failure *failure);

/*
 * What is missing from a trace that was read, in a part of its time: *missing, and a warning. 0, or
 * -1 with *failure.
 */
int replay_trace_missing(const char *path, struct trace_reader *reader,
			 const struct replay_window *window, enum row_kind kind,
			 struct missing_rows *missing, struct failure *failure);

/* The warning alone, if rows of the kind are missing. */
void replay_warn_missing(const char *path, const struct missing_rows *missing, enum row_kind kind);

/* Of a file that is no trace and, as profile__load() says in `message`, no profile. Returns -1. */
int replay_profile_invalid(const char *path, const char *message, struct failure *failure);

#endif
