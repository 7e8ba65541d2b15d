/* SPDX-License-Identifier: MIT */
/* What dump and copy share: options that choose rows, and one or several traces as one stream. */
#ifndef BLKREEL_COMMANDS_SHARED_STREAM_H
#define BLKREEL_COMMANDS_SHARED_STREAM_H

#include "base/options.h"
#include "trace/streams/merge.h"

struct stream_options {
	struct option_list device, op, task;
	uint64_t from, to; /* ns */
};

#define STREAM_OPTIONS_DEFAULT              \
	{                                   \
		.from = 0, .to = UINT64_MAX \
	}

/* The rows of an option table for the struct stream_options at `base` in the config. */
#define STREAM_OPTION(base, field, letter, kind, value, text)                                \
	{                                                                                    \
		.name = #field, .short_name = letter, .type = kind,                          \
		.offset = (base) + offsetof(struct stream_options, field), .metavar = value, \
		.help = text                                                                 \
	}
#define STREAM_OPTION_DEFS(base)                                                            \
	STREAM_OPTION(base, device, 'd', OPT_LIST, "DEV", "only this device (repeatable)"), \
		STREAM_OPTION(base, op, 0, OPT_LIST, "OP",                                  \
			      "only this operation: read, write ... (repeatable)"),         \
		STREAM_OPTION(base, task, 0, OPT_LIST, "NAME|PID",                          \
			      "only what this command or process submitted\n(repeatable)"), \
		STREAM_OPTION(base, from, 0, OPT_TIME, "TIME",                              \
			      "leave out rows before this time of the recording"),          \
		STREAM_OPTION(base, to, 0, OPT_TIME, "TIME", "leave out rows from this time on")

/* EXIT_OK and *filter, which uses the words of `options`; or EXIT_USAGE, and the message is out. */
int cmd_stream_filter(const struct command_usage *usage, struct stream_options *options,
		      struct trace_filter *filter);

/* Traces that are read as one stream. */
struct cmd_stream {
	char **paths;
	unsigned int count;
	struct trace_filter filter;
	struct trace_reader *readers[TRACE_STREAM_MAX];
	struct trace_stream *stream;
};

/*
 * Opens `s->paths` for rows of the kinds in `kinds` that `s->filter` wants. EXIT_OK, or the exit
 * code, and one line was printed. cmd_stream_close() in either case.
 */
int cmd_stream_open(struct cmd_stream *s, unsigned int kinds);
void cmd_stream_close(struct cmd_stream *s);

/*
 * After reading: a line for each trace that did not end well, and for words that none of them
 * knows. EXIT_FAILED, EXIT_BAD_INPUT (damaged), EXIT_INCOMPLETE (cut), EXIT_USAGE (no such device)
 * or EXIT_OK: of several, the first of these.
 */
int cmd_stream_finish(const struct command_usage *usage, const struct cmd_stream *s);

#endif
