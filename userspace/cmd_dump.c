/* blkreel dump: the rows of a trace as text, CSV or JSON. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/log.h"
#include "base/options.h"
#include "cmd.h"
#include "exchange/export.h"
#include "exchange/row_dump.h"

static const char *const row_choices[] = {"io", "access", "cache", "tick", "loss", NULL};
static const char *const format_choices[] = {"text", "csv", "json", "blktrace", "blkparse", NULL};

static const enum row_kind row_kinds[] = {ROW_IO, ROW_ACCESS, ROW_CACHE, ROW_TICK, ROW_LOSS};
static const enum row_format row_formats[] = {FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON};

struct config {
	unsigned int rows, format;
	uint64_t from_ns, to_ns;
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
	 .help = "text (default), csv, json (one object a line), or the events of\n"
		 "blktrace: blktrace (binary), blkparse (text)",
	 .choices = format_choices},
	{.name = "from",
	 .type = OPT_TIME,
	 .offset = offsetof(struct config, from_ns),
	 .metavar = "TIME",
	 .help = "leave out rows before this time of the recording"},
	{.name = "to",
	 .type = OPT_TIME,
	 .offset = offsetof(struct config, to_ns),
	 .metavar = "TIME",
	 .help = "leave out rows from this time on"},
	{0},
};

static const struct command_usage usage = {
	.name = "dump",
	.synopsis = "[OPTIONS] FILE",
	.summary =
		"Prints the rows of a trace in the order of the file. time_s counts from the\n"
		"start of the recording to the creation of the IO; queue_ns is from there to its\n"
		"issue, device_ns from there to its completion, latency_ns the sum. What was not\n"
		"seen is '-' as text, empty in CSV and null in JSON.",
	.examples = "  blkreel dump prod.reel | less -S\n"
		    "  blkreel dump --format csv --from 10 --to 11 prod.reel\n",
	.options = option_defs,
};

static int export(const char *path, struct trace_reader *reader, const struct config *config)
{
	const struct foreign_format *format =
		foreign_format_by_name(format_choices[config->format]);
	uint64_t left_out;
	int read_err, err = export_rows(stdout, reader, format, &left_out, &read_err);

	if (err == -ENOMEM) {
		pr_err("%s: %s", path, strerror(-err));
		return EXIT_FAILED;
	}
	if (err || cmd_flush_stdout())
		return err ? cmd_flush_stdout() : EXIT_FAILED;
	if (left_out)
		pr_warn("%s: left out: %llu IOs that %s cannot hold", path,
			(unsigned long long)left_out, format->name);
	return cmd_trace_finish(path, reader, read_err);
}

static int dump(const char *path, struct trace_reader *reader, const struct config *config)
{
	struct row_dump_options options = {.kind = row_kinds[config->rows],
					   .format = row_formats[config->format],
					   .from_ns = config->from_ns,
					   .to_ns = config->to_ns};
	int read_err, err, code;

	err = row_dump(stdout, reader, &options, &read_err);
	if (err == -ENOMEM) {
		pr_err("%s: %s", path, strerror(-err));
		return EXIT_FAILED;
	}
	if (err || cmd_flush_stdout())
		return err ? cmd_flush_stdout() : EXIT_FAILED;
	code = cmd_trace_finish(path, reader, read_err);
	if (code == EXIT_OK && options.kind == ROW_ACCESS)
		pr_info("%s: holds no access rows: this version records none", path);
	return code;
}

int cmd_dump(int argc, char **argv)
{
	struct config config = {.to_ns = UINT64_MAX};
	struct trace_reader *reader;
	int operand, code;

	if (!cmd_options(&usage, argc, argv, &config, &operand, NULL, &code))
		return code;
	if (operand != argc - 1)
		return options_usage_error(&usage, "takes one trace");
	if (config.from_ns >= config.to_ns)
		return options_usage_error(&usage, "--from must be before --to");
	code = cmd_trace_open(argv[operand], &reader);
	if (code)
		return code;
	code = config.format < sizeof(row_formats) / sizeof(row_formats[0])
		       ? dump(argv[operand], reader, &config)
		       : export(argv[operand], reader, &config);
	trace_reader__free(reader);
	return code;
}
