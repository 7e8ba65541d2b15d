/* blkreel dump: the rows of traces as text, CSV or JSON. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/log.h"
#include "base/options.h"
#include "cmd.h"
#include "cmd_stream.h"
#include "exchange/row_dump.h"
#include "trace/contents.h"

static const char *const row_choices[] = {"io", "access", "cache", "tick", "loss", NULL};
static const char *const format_choices[] = {"text", "csv", "json", NULL};

static const enum row_kind row_kinds[] = {ROW_IO, ROW_ACCESS, ROW_CACHE, ROW_TICK, ROW_LOSS};
static const enum row_format row_formats[] = {FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON};

struct config {
	unsigned int rows, format;
	struct stream_options stream;
};

static const struct option_def option_defs[] = {
	{.name = "rows",
	 .short_name = 'r',
	 .type = OPT_CHOICE,
	 .offset = offsetof(struct config, rows),
	 .metavar = "KIND",
	 .help = "io (default), access, cache, tick or loss",
	 .choices = row_choices},
	{.name = "format",
	 .short_name = 'f',
	 .type = OPT_CHOICE,
	 .offset = offsetof(struct config, format),
	 .metavar = "FORMAT",
	 .help = "text (default), csv, or json (one object a line)",
	 .choices = format_choices},
	STREAM_OPTION_DEFS(offsetof(struct config, stream)),
	{0},
};

static const struct command_usage usage = {
	.name = "dump",
	.synopsis = "[OPTIONS] FILE...",
	.summary =
		"Prints the rows of a trace in the order of the file. time_s counts from the\n"
		"start of the recording to the creation of the IO; queue_ns is from there to its\n"
		"issue, device_ns from there to its completion, latency_ns the sum. What was not\n"
		"seen is '-' as text, empty in CSV and null in JSON. Rows of several traces are\n"
		"put in order by wall time, with the host in the first column.",
	.examples = "  blkreel dump prod.reel | less -S\n"
		    "  blkreel dump --format csv --from 10 --to 11 prod.reel\n"
		    "  blkreel dump --op write --task mysqld host-a.reel host-b.reel\n",
	.options = option_defs,
};

/* A word that no row of this kind can be asked for is a mistake, not an empty answer. */
static int check_filter(enum row_kind kind, const struct trace_filter *filter)
{
	const char *name = trace_row_name(kind);

	if (filter->device_count && kind != ROW_IO && kind != ROW_TICK)
		return options_usage_error(&usage, "--device: %s rows do not tell a device", name);
	if (filter->ops && kind != ROW_IO)
		return options_usage_error(&usage, "--op: %s rows do not tell an operation", name);
	if (filter->task_count && kind != ROW_IO && kind != ROW_CACHE)
		return options_usage_error(&usage, "--task: %s rows do not tell a task", name);
	return EXIT_OK;
}

static int dump(struct cmd_stream *s, const struct config *config)
{
	enum row_kind kind = row_kinds[config->rows];
	int err = row_dump(stdout, s->stream, kind, row_formats[config->format]), code;

	if (err == -ENOMEM) {
		pr_err("%s", strerror(-err));
		return EXIT_FAILED;
	}
	if (err || cmd_flush_stdout())
		return err ? cmd_flush_stdout() : EXIT_FAILED;
	code = cmd_stream_finish(&usage, s);
	if (code == EXIT_OK && kind == ROW_ACCESS)
		pr_info("%s: holds no access rows: this version records none", s->paths[0]);
	return code;
}

int cmd_dump(int argc, char **argv)
{
	struct config config = {.stream = STREAM_OPTIONS_DEFAULT};
	struct cmd_stream s = {0};
	int operand, code;

	if (!cmd_options(&usage, argc, argv, &config, &operand, NULL, &code))
		return code;
	if (operand == argc || argc - operand > TRACE_STREAM_MAX)
		return options_usage_error(&usage, "takes 1 to %d traces", TRACE_STREAM_MAX);
	code = cmd_stream_filter(&usage, &config.stream, &s.filter);
	if (!code)
		code = check_filter(row_kinds[config.rows], &s.filter);
	if (code)
		return code;
	s.paths = argv + operand;
	s.count = (unsigned int)(argc - operand);
	code = cmd_stream_open(&s, 1u << row_kinds[config.rows]);
	if (!code)
		code = dump(&s, &config);
	cmd_stream_close(&s);
	return code;
}
