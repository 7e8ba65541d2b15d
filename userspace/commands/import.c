// SPDX-License-Identifier: MIT
/* blkreel import: converts traces of other tools and archives. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/options.h"
#include "base/progress.h"
#include "commands/shared/command.h"
#include "commands/shared/anonymize_options.h"
#include "commands/shared/long_work.h"
#include "commands/shared/output.h"
#include "exchange/formats/csv_columns.h"
#include "exchange/import.h"
#include "exchange/repeats.h"
#include "render/import.h"

#define HELP_BYTES 8192

struct config {
	const char *format, *output, *device, *columns, *delimiter, *op;
	unsigned int time_unit;
	uint64_t resolution_ns, level, skip_lines;
	bool dedup, align;
	struct anonymize_config anonymize;
};

static const char *const time_units[] = {"us", "s", "ms", "ns", NULL};
static const uint64_t time_units_ns[] = {0, NSEC_PER_SEC, NSEC_PER_MSEC, 1};

static const struct option_def option_defs[] = {
	OPTION(struct config, format, 0, "from", TEXT, "FORMAT",
	       "read this format, see below (default: detected by\ncontent, if that is certain)"),
	OPTION(struct config, output, 'o', "output", FILE, "FILE",
	       "write the trace to FILE, which is replaced if it is\na trace (required)"),
	OPTION(struct config, dedup, 0, "dedup", FLAG, NULL,
	       "leave out IOs that repeat another one within 200 us,\n"
	       "as in traces of a stacked device, taken at both levels"),
	OPTION(struct config, align, 0, "align", FLAG, NULL,
	       "shift addresses by up to 7 sectors, so that most IOs\n"
	       "begin at a multiple of 4 KiB (for disks whose first\n"
	       "partition begins at sector 63)"),
	OPTION(struct config, resolution_ns, 0, "resolution", TIME, "TIME",
	       "round times down to a multiple of TIME (default:\nthe resolution of the format)"),
	OPTION(struct config, level, 0, "level", COUNT, "N",
	       "set the zstd compression level, 1 to 19 (default: 1)", .min = 1, .max = 19),
	OPTION(struct config, device, 0, "device", TEXT, "NAME",
	       "name the device, for formats without devices\n(default: disk1, disk2 ... by input)"),
	OPTION(struct config, columns, 0, "columns", TEXT, "LIST",
	       "csv: name the columns in their order. Each is time,\n"
	       "op, offset, size, device, latency, pid, comm or -\n"
	       "(ignored), with its unit after a colon.\n"
	       "time: s, ms, us, ns, filetime (default: s)\n"
	       "latency: s, ms, us, ns (default: s)\n"
	       "offset, size: bytes, sectors, or the number of\n"
	       "  bytes of a block (default: bytes)\n"
	       "op: words, scsi (hexadecimal code), read0 (0 is a\n"
	       "  read), write0 (0 is a write) (default: words)"),
	OPTION(struct config, op, 0, "op", TEXT, "OP",
	       "csv: take each record as read, write, flush or\ndiscard, if no column tells"),
	OPTION(struct config, delimiter, 0, "delimiter", TEXT, "C",
	       "csv: separate columns by one character, tab or\nspace (default: a comma)"),
	OPTION(struct config, skip_lines, 0, "skip-lines", COUNT, "N",
	       "csv: skip the first N lines (default: 0)", .max = UINT32_MAX),
	OPTION(struct config, time_unit, 0, "time-unit", CHOICE, "UNIT",
	       "fio-iolog: read times in s, ms, us or ns (default: us)", .choices = time_units),
	ANONYMIZE_OPTIONS(struct config, anonymize),
	{0},
};

static struct command_usage usage = {
	.name = "import",
	.synopsis = "[--from FORMAT] [OPTIONS] INPUT... -o FILE",
	.summary =
		"Converts traces of other tools and public archives into a trace. An input may be\n"
		"compressed (gzip, zstd, xz); '-' is standard input. Several inputs are merged on\n"
		"one clock. Reports each kind of record that was left out, sorted or suspicious.",
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

static bool is_format(const struct import_options *options, const char *name)
{
	return options->format && !strcmp(options->format->name, name);
}

static int check_arguments(const struct config *config, int inputs, struct import_options *options)
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
	if ((config->columns || config->op || config->delimiter || config->skip_lines) &&
	    !is_format(options, "csv"))
		return options_usage_error(
			&usage, "--columns, --op, --delimiter and --skip-lines are for --from csv");
	if (config->time_unit && !is_format(options, "fio-iolog"))
		return options_usage_error(&usage, "--time-unit is for --from fio-iolog");
	options->foreign.time_unit_ns = time_units_ns[config->time_unit];
	if (config->dedup && options->format && import_tick_ns(options) > REPEAT_WINDOW_NS)
		return options_usage_error(
			&usage,
			"--dedup needs times finer than 200 us: in multiples of %s, IOs "
			"that repeat another one are the workload",
			TIME_TEXT(import_tick_ns(options)));
	if (is_format(options, "csv") &&
	    csv_columns__parse(config->columns, config->op, &columns, &message))
		return options_usage_error(&usage, "%s", message);
	if (config->op && csv_op_of_word((struct text){config->op, strlen(config->op)}) < 0)
		return options_usage_error(
			&usage, "--op takes read, write, flush or discard, not '%s'", config->op);
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
	progress_start("import", cmd_bytes_of(inputs, (unsigned int)count));
	err = import_run(inputs, (unsigned int)count, config->output, options, &result);
	progress_stop();
	if (err)
		return failed(config, &result, err);
	render_import(&result, config->output, config->dedup, config->align);
	return result.cut || result.report.bad_records || result.before_start ? EXIT_INCOMPLETE
									      : EXIT_OK;
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
	code = check_arguments(&config, argc - operand, &options);
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
	options.foreign.op = config.op;
	options.foreign.skip_lines = config.skip_lines;
	code = cmd_anonymizer(&config.anonymize, &anonymizer);
	if (code)
		return code;
	options.writer.anonymizer = anonymizer;
	code = import(&config, &options, argv + operand, argc - operand);
	anonymizer__free(anonymizer);
	return code;
}
