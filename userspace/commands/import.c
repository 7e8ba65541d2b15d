// SPDX-License-Identifier: MIT
/* blkreel import: traces of other tools and archives as traces of ours. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/options.h"
#include "commands/shared/command.h"
#include "commands/shared/anonymize_options.h"
#include "commands/shared/output.h"
#include "exchange/formats/csv_columns.h"
#include "exchange/import.h"
#include "render/import.h"

#define HELP_BYTES 8192

struct config {
	const char *format, *output, *device, *columns, *delimiter;
	uint64_t resolution_ns, level, skip_lines;
	bool dedup, align;
	struct anonymize_config anonymize;
};

static const struct option_def option_defs[] = {
	{.name = "from",
	 .type = OPT_TEXT,
	 .offset = offsetof(struct config, format),
	 .metavar = "FORMAT",
	 .help = "of the inputs (below); default: told by content, where certain"},
	{.name = "output",
	 .short_name = 'o',
	 .type = OPT_FILE,
	 .offset = offsetof(struct config, output),
	 .metavar = "FILE",
	 .help = "the trace to make (required)"},
	{.name = "dedup",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct config, dedup),
	 .help = "leave out IOs that repeat another one within 200 us: a stacked\n"
		 "device that was traced on both levels"},
	{.name = "align",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct config, align),
	 .help = "move addresses by up to 7 sectors so that most IOs begin at a\n"
		 "multiple of 4 KiB (disks whose first partition begins at sector 63)"},
	{.name = "resolution",
	 .type = OPT_TIME,
	 .offset = offsetof(struct config, resolution_ns),
	 .metavar = "TIME",
	 .help = "round times down to multiples of this; default: what the format has"},
	{.name = "level",
	 .type = OPT_COUNT,
	 .offset = offsetof(struct config, level),
	 .metavar = "N",
	 .help = "zstd level, 1 to 19 (default: 1)",
	 .min = 1,
	 .max = 19},
	{.name = "device",
	 .type = OPT_TEXT,
	 .offset = offsetof(struct config, device),
	 .metavar = "NAME",
	 .help = "of the device, for formats that know none (default disk1)"},
	{.name = "columns",
	 .type = OPT_TEXT,
	 .offset = offsetof(struct config, columns),
	 .metavar = "LIST",
	 .help = "csv: what the columns are, in their order, each of time, op, offset,\n"
		 "size, device, latency, pid, comm or - (none of these), with its unit\n"
		 "behind a colon. Times: s (default), ms, us, ns, filetime; offset and\n"
		 "size: bytes (default), sectors, or the bytes of a block; op: scsi\n"
		 "(hexadecimal), read0 (0 is a read), write0 (0 is a write)"},
	{.name = "delimiter",
	 .type = OPT_TEXT,
	 .offset = offsetof(struct config, delimiter),
	 .metavar = "C",
	 .help = "csv: one character, 'tab' or 'space' (default ,)"},
	{.name = "skip-lines",
	 .type = OPT_COUNT,
	 .offset = offsetof(struct config, skip_lines),
	 .metavar = "N",
	 .help = "csv: leave out the first N lines",
	 .min = 0,
	 .max = UINT32_MAX},
	ANONYMIZE_OPTIONS(struct config, anonymize),
	{0},
};

static struct command_usage usage = {
	.name = "import",
	.synopsis = "[--from FORMAT] [OPTIONS] INPUT... -o FILE",
	.summary =
		"Makes a trace out of traces of other tools and archives, which may be compressed\n"
		"(gzip, zstd, xz); '-' is standard input. Several inputs are merged on one clock.\n"
		"Everything that was left out, sorted or found odd is said.",
	.examples =
		"  blkreel import web.load.gz --dedup -o web.reel\n"
		"  blkreel import sda.blktrace.* -o sda.reel\n"
		"  blkreel import --from csv --columns time:ms,op,offset:sectors,size io.csv -o io.reel\n",
	.options = option_defs,
};

/* The list of formats in the help comes from the same table as the formats. */
static void list_formats(char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "Formats (*: needs --from):\n");

	for (unsigned int i = 0; foreign_formats[i] && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "  %c %-15s %s\n",
					 foreign_formats[i]->recognise ? ' ' : '*',
					 foreign_formats[i]->name, foreign_formats[i]->title);
}

static int parse_delimiter(const char *text, char *delimiter)
{
	if (!strcmp(text, "tab"))
		*delimiter = '\t';
	else if (!strcmp(text, "space"))
		*delimiter = ' ';
	else if (strlen(text) == 1)
		*delimiter = *text;
	else
		return -EINVAL;
	return 0;
}

static int check_words(const struct config *config, int inputs, struct import_options *options)
{
	struct csv_columns columns;
	const char *message;

	if (inputs < 1)
		return options_usage_error(&usage, "takes one or more inputs");
	if (!config->output)
		return options_usage_error(&usage, "-o FILE is required: the trace to make");
	if (config->format) {
		options->format = foreign_format_by_name(config->format);
		if (!options->format)
			return options_usage_error(
				&usage,
				"no format is called '%s': 'blkreel import --help' lists them",
				config->format);
	}
	if ((config->columns || config->delimiter || config->skip_lines) &&
	    (!options->format || strcmp(options->format->name, "csv")))
		return options_usage_error(
			&usage, "--columns, --delimiter and --skip-lines are for --from csv");
	if (options->format && !strcmp(options->format->name, "csv") &&
	    csv_columns__parse(config->columns, &columns, &message))
		return options_usage_error(&usage, "%s", message);
	if (config->delimiter && parse_delimiter(config->delimiter, &options->foreign.delimiter))
		return options_usage_error(&usage, "--delimiter takes one character, tab or space");
	return EXIT_OK;
}

static int failed(const struct config *config, const struct import_result *result, int err)
{
	if (err == -ECANCELED)
		return cmd_output_interrupted(config->output);
	if (result->output_failed)
		return cmd_output_error(config->output, err);
	if (err == -EINVAL && !*result->message)
		pr_err("no valid %s in the first %s (%s: %s)", result->format->name,
		       COUNTED_TEXT(result->report.bad_records, "record"), result->report.bad_where,
		       result->report.bad_reason);
	else if (result->report.bad_records)
		pr_err("%s (%s: %s)", result->message, result->report.bad_where,
		       result->report.bad_reason);
	else
		pr_err("%s", *result->message ? result->message : strerror(-err));
	return err == -EINVAL || err == -EBADMSG || err == -EISDIR ? EXIT_BAD_INPUT : EXIT_FAILED;
}

static int import(const struct config *config, struct import_options *options, char **inputs,
		  int count)
{
	struct import_result result;
	int err;

	cmd_watch_signals();
	err = import_run(inputs, (unsigned int)count, config->output, options, &result);
	if (err)
		return failed(config, &result, err);
	render_import(&result, config->output, config->dedup, config->align);
	return result.cut || result.report.bad_records ? EXIT_INCOMPLETE : EXIT_OK;
}

int cmd_import(int argc, char **argv)
{
	static char formats[HELP_BYTES];
	char command[TRACE_TEXT_MAX];
	struct import_options options = {.stop = &cmd_interrupted, .command = command};
	struct anonymizer *anonymizer;
	struct config config = {0};
	int operand, code;

	list_formats(formats, sizeof(formats));
	usage.notes = formats;
	if (!cmd_options(&usage, argc, argv, &config, &operand, NULL, &code))
		return code;
	code = check_words(&config, argc - operand, &options);
	if (code)
		return code;
	if (cmd_output_is_input(config.output, argv + operand, (unsigned int)(argc - operand)))
		return options_usage_error(&usage, "the output is one of the inputs");
	snprintf(command, sizeof(command), "import of %s, the first is %.200s",
		 COUNTED_TEXT((uint64_t)(argc - operand), "file"), argv[operand]);
	options.drop_repeats = config.dedup;
	options.align = config.align;
	options.writer.resolution_ns = config.resolution_ns;
	options.writer.zstd_level = (int)config.level;
	options.foreign.device = config.device;
	options.foreign.one_layer = config.dedup;
	options.foreign.columns = config.columns;
	options.foreign.skip_lines = config.skip_lines;
	code = cmd_anonymizer(&config.anonymize, &anonymizer);
	if (code)
		return code;
	options.writer.anonymizer = anonymizer;
	code = import(&config, &options, argv + operand, argc - operand);
	anonymizer__free(anonymizer);
	return code;
}
