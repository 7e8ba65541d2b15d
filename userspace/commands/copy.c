// SPDX-License-Identifier: MIT
/* blkreel copy: copies a part of a trace, or several traces into one. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/progress.h"
#include "base/units.h"
#include "commands/shared/command.h"
#include "commands/shared/anonymize_options.h"
#include "commands/shared/long_work.h"
#include "commands/shared/output.h"
#include "commands/shared/stream.h"
#include "trace/streams/copier.h"

#define ALL_KINDS ((1u << ROW_KIND_COUNT) - 1)

struct config {
	const char *output;
	struct stream_options stream;
	uint64_t resolution_ns, level;
	struct anonymize_config anonymize;
};

static const struct option_def option_defs[] = {
	OPTION(struct config, output, 'o', "output", FILE, "OUT",
	       "write the new trace to OUT, which is replaced if it\nis a trace (required)"),
	STREAM_OPTIONS(struct config, stream),
	OPTION(struct config, resolution_ns, 0, "resolution", TIME, "TIME",
	       "round times down to a multiple of TIME; 1us makes\nsmaller files"),
	OPTION(struct config, level, 0, "level", COUNT, "N",
	       "set the zstd compression level, 1 to 19 (default: 1)", .min = 1, .max = 19),
	ANONYMIZE_OPTIONS(struct config, anonymize),
	{0},
};

static const struct command_usage usage = {
	.name = "copy",
	.synopsis = "FILE... -o OUT [OPTIONS]",
	.summary =
		"Writes the selected rows of one or several traces into a new trace. Several\n"
		"traces are put on one clock, wall time. The new recording begins at --from and\n"
		"ends at --to. Of a cut or damaged trace the undamaged part is copied. -d and\n"
		"--op leave out cache, access and wait rows.",
	.examples = "  blkreel copy prod.reel --from 10m --to 11m -o minute.reel\n"
		    "  blkreel copy prod.reel -d sda --op write -o writes.reel\n"
		    "  blkreel copy host-a.reel host-b.reel -o both.reel\n",
	.options = option_defs,
};

static int check_interrupted(const struct trace_stream *stream, void *context)
{
	(void)stream;
	(void)context;
	return cmd_interrupted ? -EINTR : 0;
}

/* Input and output; there is no copier before the first row. */
struct copying {
	struct cmd_stream *stream;
	const char *output;
	struct trace_writer_options options;
	struct trace_copier *copier;
};

static int create_output(struct copying *c)
{
	return trace_copier__create(c->output, c->stream->stream, &c->stream->filter, &c->options,
				    &c->copier);
}

/*
 * The output, and with it a trace of that name, is only created once there is a row: a device that
 * no trace has is a typing error. 0, -EINTR after a signal, or other negative errno.
 */
static int copy_rows(struct copying *c)
{
	struct trace_stream *stream = c->stream->stream;
	struct trace_stream_row row;
	int err;

	trace_stream__watch(stream, check_interrupted, NULL);
	while ((err = trace_stream__next(stream, &row)) == 1) {
		err = c->copier ? 0 : create_output(c);
		if (!err)
			err = trace_copier__add(c->copier, &row);
		if (err)
			return err;
	}
	return err;
}

static int write_error(const char *output, int err)
{
	if (err == -EINTR)
		return cmd_output_interrupted(output);
	if (err != -E2BIG)
		return cmd_output_error(output, err);
	pr_err("%s: the traces together name more devices, tasks, files or cgroups than one trace "
	       "can hold: copy fewer, or less of them",
	       output);
	return EXIT_FAILED;
}

static void print_totals(const char *output, const struct trace_copier_totals *totals)
{
	struct stat file = {0};
	char bytes[UNITS_TEXT_MAX], duration[UNITS_TEXT_MAX];

	stat(output, &file);
	pr_info("%s: %s in %s, %s", output, COUNTED_TEXT(totals->rows[ROW_IO], "IO"),
		units_time(totals->duration_ns, duration),
		units_bytes((uint64_t)file.st_size, bytes));
}

static void say_in_flight(const struct trace_stream *stream)
{
	uint64_t ios = trace_stream__began_before(stream);

	if (ios)
		pr_info("left out: %s that began before --from and %s in flight then",
			COUNTED_TEXT(ios, "IO"), ios == 1 ? "was" : "were");
}

static void warn_of_dropped(const struct trace_stream *stream)
{
	char text[128] = "";
	size_t used = 0;

	for (enum row_kind kind = 0; kind < ROW_KIND_COUNT; kind++) {
		uint64_t rows = trace_stream__dropped(stream, kind);

		if (rows)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s %s",
						 used ? ", " : "", COUNT_TEXT(rows),
						 trace_row_name(kind));
	}
	if (used)
		pr_warn("left out: %s rows, which have no device and no operation", text);
}

static int copy(struct cmd_stream *s, const struct config *config,
		const struct anonymizer *anonymizer)
{
	struct copying c = {.stream = s,
			    .output = config->output,
			    /* Half a copy is of no use: the source is still there. */
			    .options = {.replace_at_close = true,
					.zstd_level = (int)config->level,
					.resolution_ns = config->resolution_ns,
					.anonymizer = anonymizer}};
	struct trace_copier_totals totals;
	int err, code;

	progress_start("copy", cmd_bytes_of(s->paths, s->count));
	err = copy_rows(&c);
	progress_stop();
	code = err ? EXIT_OK : cmd_stream_finish(&usage, s);
	if (err || code == EXIT_USAGE) {
		trace_copier__abandon(c.copier);
		return err ? write_error(config->output, err) : code;
	}
	if (!c.copier)
		err = create_output(&c);
	if (!err)
		err = trace_copier__finish(c.copier, &totals);
	if (err)
		return write_error(config->output, err);
	print_totals(config->output, &totals);
	say_in_flight(s->stream);
	warn_of_dropped(s->stream);
	return code;
}

int cmd_copy(int argc, char **argv)
{
	struct config config = {0};
	struct anonymizer *anonymizer;
	struct cmd_stream s = {0};
	int operand, code;

	if (!cmd_options(&usage, argc, argv, &config, &operand, NULL, &code))
		return code;
	if (operand == argc || argc - operand > TRACE_STREAM_MAX)
		return options_usage_error(&usage, "takes 1 to %d traces", TRACE_STREAM_MAX);
	if (!config.output)
		return options_usage_error(&usage, "-o is needed: where to write the copy");
	if (config.resolution_ns > NSEC_PER_SEC)
		return options_usage_error(&usage, "--resolution takes a time of at most 1s");
	code = cmd_stream_filter(&usage, &config.stream, &s.filter);
	if (code)
		return code;
	s.filter.by_span = true;
	s.options = &config.stream;
	s.paths = argv + operand;
	s.count = (unsigned int)(argc - operand);
	if (cmd_output_is_input(config.output, s.paths, s.count))
		return options_usage_error(&usage, "%s is one of the traces that are copied",
					   config.output);
	code = cmd_anonymizer(&config.anonymize, &anonymizer);
	if (code)
		return code;
	cmd_watch_signals();
	code = cmd_stream_open(&usage, &s, ALL_KINDS);
	if (!code)
		code = copy(&s, &config, anonymizer);
	anonymizer__free(anonymizer);
	cmd_stream_close(&s);
	return code;
}
