/* SPDX-License-Identifier: MIT */
/* The subcommands: each parses its options, calls, prints and returns an exit code. */
#ifndef BLKREEL_COMMANDS_SHARED_COMMAND_H
#define BLKREEL_COMMANDS_SHARED_COMMAND_H

#include <stdbool.h>

#include "base/exit_codes.h"
#include "base/options.h"
#include "trace/file/reader.h"

int cmd_doctor(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_serve(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_repair(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_copy(int argc, char **argv);
int cmd_profile(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_report(int argc, char **argv);

/*
 * Parses the options of a command. False: help was printed or the arguments were wrong, and *code
 * is what the command returns. *operand is the first argument that is no option, *separator (may be
 * NULL) the first after "--". True: *code is EXIT_OK.
 */
bool cmd_options(const struct command_usage *usage, int argc, char **argv, void *config,
		 int *operand, int *separator, int *code);

/* Opens a trace for `command`; prints one line and returns an exit code when that fails. */
int cmd_trace_open(const char *path, struct trace_reader **reader);

/* The same for the result of any function that opens a trace, and its message or NULL. */
int cmd_open_error(const char *path, int err, const char *message);

/*
 * After reading: prints one line when the trace did not end well. `err` is what the last read
 * returned (0 or negative errno). EXIT_OK, EXIT_INCOMPLETE (cut), EXIT_BAD_INPUT (damaged).
 */
int cmd_trace_finish(const char *path, const struct trace_reader *reader, int err);

/* Flushes stdout and reports an error (closed pipe, full disk). EXIT_OK or EXIT_FAILED. */
int cmd_flush_stdout(void);

#endif
