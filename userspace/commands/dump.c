// SPDX-License-Identifier: MIT
/* blkreel dump: prints the rows of traces as text, CSV, JSON or in a foreign format. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/options.h"
#include "base/progress.h"
#include "base/units.h"
#include "commands/shared/command.h"
#include "commands/shared/long_work.h"
#include "commands/shared/stream.h"
#include "commands/shared/workload_input.h"
#include "exchange/export.h"
#include "exchange/dump/row_dump.h"
#include "render/export.h"
#include "trace/repair/contents.h"

static const char *const row_choices[] = {"io",	  "access", "cache", "tick",
					  "loss", "hist",   "wait",  NULL};
/* The foreign formats that can be written follow the first three. */
#define FOREIGN_FIRST 3u
#define CHOICES_MAX   64u
static const char *format_choices[CHOICES_MAX + 1] = {"text", "csv", "json"};

static const enum row_kind row_kinds[] = {ROW_IO,   ROW_ACCESS, ROW_CACHE, ROW_TICK,
					  ROW_LOSS, ROW_HIST,	ROW_WAIT};
static const enum row_format row_formats[] = {FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON};

struct config {
	unsigned int rows, format;
	bool in_flight;
	struct stream_options stream;
};

static const struct option_def option_defs[] = {
	OPTION(struct config, rows, 'r', "rows", CHOICE, "KIND",
	       "print rows of this kind: io, access, cache, tick,\nloss, hist or wait (default: io)",
	       .choices = row_choices),
	OPTION(struct config, format, 'f', "format", CHOICE, "FORMAT",
	       "print text, csv, json (one object a line) or a\n"
	       "foreign format, see below (default: text)",
	       .choices = format_choices),
	STREAM_OPTIONS(struct config, stream),
	OPTION(struct config, in_flight, 0, "in-flight", FLAG, NULL,
	       "print also the IOs that began before --from and were\nin flight then"),
	{0},
};

static struct command_usage usage = {
	.name = "dump",
	.synopsis = "[OPTIONS] FILE...",
	.summary =
		"Prints the rows of a trace in the order of the file. time_s counts from the\n"
		"start of the recording to the creation of the IO, queue_ns from creation to\n"
		"issue, device_ns from issue to completion; latency_ns is the sum of both. A\n"
		"value that is not known is '-' in text, empty in CSV and null in JSON. Rows of\n"
		"several traces are sorted by wall time; their first column is the host.",
	.examples = "  blkreel dump prod.reel | less -S\n"
		    "  blkreel dump --format csv --from 10 --to 11 prod.reel\n"
		    "  blkreel dump --format fio-iolog prod.reel >prod.iolog\n"
		    "  blkreel dump --op write --task mysqld host-a.reel host-b.reel\n",
	.options = option_defs,
};

/* The formats that can be written, as choices and in the help. */
static void list_formats(void)
{
	static char notes[4096];
	size_t used = (size_t)snprintf(notes, sizeof(notes), "Foreign formats (io rows only):\n");
	unsigned int count = FOREIGN_FIRST;

	for (unsigned int i = 0; foreign_formats[i]; i++) {
		if (!foreign_formats[i]->print || count == CHOICES_MAX || used >= sizeof(notes))
			continue;
		format_choices[count++] = foreign_formats[i]->name;
		used += (size_t)snprintf(notes + used, sizeof(notes) - used, "  %-15s %s\n",
					 foreign_formats[i]->name, foreign_formats[i]->title);
	}
	usage.notes = notes;
}

static int check_foreign(const struct config *config, const struct foreign_format *format,
			 int files)
{
	if (files > 1)
		return options_usage_error(
			&usage, "--format %s takes one trace: blkreel copy makes one of several",
			format->name);
	if (row_kinds[config->rows] != ROW_IO)
		return options_usage_error(&usage, "--format %s holds io rows only", format->name);
	if (config->in_flight)
		return options_usage_error(&usage,
					   "--format %s holds what began in its time: "
					   "--in-flight is for text, csv and json",
					   format->name);
	if (format->binary && isatty(STDOUT_FILENO))
		return options_usage_error(
			&usage, "--format %s is binary: send standard output to a file or a pipe",
			format->name);
	return EXIT_OK;
}

/* A filter that does not apply to this kind of row is a mistake, not an empty result. */
static int check_filter(enum row_kind kind, const struct trace_filter *filter)
{
	const char *name = trace_row_name(kind);

	if (filter->device_count && kind != ROW_IO && kind != ROW_TICK && kind != ROW_HIST)
		return options_usage_error(&usage, "--device: %s rows have no device", name);
	if (filter->ops && kind != ROW_IO)
		return options_usage_error(&usage, "--op: %s rows are no requests of a device",
					   name);
	if (filter->task_count && kind != ROW_IO && kind != ROW_CACHE && kind != ROW_ACCESS &&
	    kind != ROW_WAIT)
		return options_usage_error(&usage, "--task: %s rows have no task", name);
	return EXIT_OK;
}

static int write_error(int err)
{
	if (err != -ENOMEM)
		return cmd_flush_stdout();
	pr_err("%s", strerror(-err));
	return EXIT_FAILED;
}

static int dump_foreign(struct cmd_stream *s, const struct foreign_format *format)
{
	struct export_result result;
	int err = export_stream(stdout, s->stream, format, &result);

	if (err || cmd_flush_stdout())
		return err ? write_error(err) : EXIT_FAILED;
	render_export(&result, format);
	return cmd_stream_finish(&usage, s);
}

/* Rows that are missing are in no output. */
static void warn_missing(const struct cmd_stream *s, enum row_kind kind)
{
	struct missing_rows missing;

	if (kind != ROW_IO && kind != ROW_ACCESS)
		return;
	for (unsigned int i = 0; i < s->count; i++) {
		missing_rows__scan(s->readers[i], s->filter.from_ns, s->filter.to_ns, &missing);
		cmd_warn_missing(s->paths[i], &missing, kind);
	}
}

static void say_left_out(const struct cmd_stream *s)
{
	uint64_t ios = trace_stream__began_before(s->stream);

	if (ios && !s->filter.in_flight)
		pr_info("left out: %s that began before --from and %s in flight then; "
			"--in-flight prints them",
			COUNTED_TEXT(ios, "IO"), ios == 1 ? "was" : "were");
}

static bool any_accesses(const struct cmd_stream *s)
{
	for (unsigned int i = 0; i < s->count; i++)
		if (trace_reader__rows(trace_stream__reader(s->stream, i), ROW_ACCESS))
			return true;
	return false;
}

static int dump(struct cmd_stream *s, const struct config *config)
{
	enum row_kind kind = row_kinds[config->rows];
	int err = row_dump(stdout, s->stream, kind, row_formats[config->format]), code;

	if (err || cmd_flush_stdout())
		return err ? write_error(err) : EXIT_FAILED;
	code = cmd_stream_finish(&usage, s);
	if (code == EXIT_OK && kind == ROW_ACCESS && !any_accesses(s))
		pr_info("%s: holds no access rows: blkreel record --files makes them", s->paths[0]);
	return code;
}

static int check_arguments(const struct config *config, int files,
			   const struct trace_filter *filter, const struct foreign_format **format)
{
	int code = EXIT_OK;

	if (files < 1 || files > TRACE_STREAM_MAX)
		return options_usage_error(&usage, "takes 1 to %d traces", TRACE_STREAM_MAX);
	if (config->format >= FOREIGN_FIRST) {
		*format = foreign_format_by_name(format_choices[config->format]);
		code = check_foreign(config, *format, files);
	}
	return code ? code : check_filter(row_kinds[config->rows], filter);
}

int cmd_dump(int argc, char **argv)
{
	struct config config = {0};
	const struct foreign_format *format = NULL;
	struct cmd_stream s = {0};
	int operand, code;

	list_formats();
	if (!cmd_options(&usage, argc, argv, &config, &operand, NULL, &code))
		return code;
	code = cmd_stream_filter(&usage, &config.stream, &s.filter);
	if (!code)
		code = check_arguments(&config, argc - operand, &s.filter, &format);
	if (code)
		return code;
	s.filter.in_flight = config.in_flight;
	s.options = &config.stream;
	s.paths = argv + operand;
	s.count = (unsigned int)(argc - operand);
	cmd_end_at_signal("the output is not whole");
	code = cmd_stream_open(&usage, &s, 1u << row_kinds[config.rows]);
	/* Rows on the terminal are progress enough. */
	if (!isatty(STDOUT_FILENO))
		progress_start("dump", cmd_bytes_of(s.paths, s.count));
	if (!code)
		code = format ? dump_foreign(&s, format) : dump(&s, &config);
	if (s.stream && (!code || code == EXIT_INCOMPLETE))
		warn_missing(&s, row_kinds[config.rows]);
	if (!code)
		say_left_out(&s);
	progress_stop();
	cmd_stream_close(&s);
	return code;
}
