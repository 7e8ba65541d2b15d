/* SPDX-License-Identifier: MIT */
/* For dump and copy: options that select rows, and one or several traces as one stream. */
#ifndef BLKREEL_COMMANDS_SHARED_STREAM_H
#define BLKREEL_COMMANDS_SHARED_STREAM_H

#include "base/options.h"
#include "trace/streams/merge.h"

struct stream_options {
	struct option_list device, op, task;
	const char *from, *to; /* a time of the recording or of the wall clock; NULL: not given */
};

/* The rows of an option table for the struct stream_options in `field` of `config_type`. */
#define STREAM_OPTIONS(config_type, field)                                                    \
	OPTION(config_type, field.device, 'd', "device", LIST, "DEV",                         \
	       "select rows of this device (repeatable; default: all)"),                      \
		OPTION(config_type, field.op, 0, "op", LIST, "OP",                            \
		       "select this operation: read, write ... (repeatable;\ndefault: all)"), \
		OPTION(config_type, field.task, 0, "task", LIST, "NAME|PID",                  \
		       "select what this command or process submitted\n"                      \
		       "(repeatable; default: all)"),                                         \
		OPTION(config_type, field.from, 0, "from", TEXT, "TIME",                      \
		       "leave out rows before this time of the recording,\n"                  \
		       "or of the clock: 15:04:05, 2026-11-21T15:04"),                        \
		OPTION(config_type, field.to, 0, "to", TEXT, "TIME",                          \
		       "leave out rows from this time on")

/*
 * EXIT_OK and *filter, which points into `options`; or EXIT_USAGE after a message. Times of the
 * wall clock are set by cmd_stream_open().
 */
int cmd_stream_filter(const struct command_usage *usage, struct stream_options *options,
		      struct trace_filter *filter);

/* Traces that are read as one stream. */
struct cmd_stream {
	char **paths;
	unsigned int count;
	struct trace_filter filter;
	const struct stream_options *options;
	struct trace_reader *readers[TRACE_STREAM_MAX];
	struct trace_stream *stream;
};

/*
 * Opens `s->paths` for rows of the kinds in `kinds` that `s->filter` selects. EXIT_OK, or the exit
 * code after one line. cmd_stream_close() in either case.
 */
int cmd_stream_open(const struct command_usage *usage, struct cmd_stream *s, unsigned int kinds);
void cmd_stream_close(struct cmd_stream *s);

/*
 * After reading: prints a line for each trace that did not end well, and for each device or task
 * that no trace has. EXIT_FAILED, EXIT_BAD_INPUT (damaged), EXIT_INCOMPLETE (cut), EXIT_USAGE (no
 * such device, or --from is after the end) or EXIT_OK: of several, the first of these.
 */
int cmd_stream_finish(const struct command_usage *usage, const struct cmd_stream *s);

#endif
