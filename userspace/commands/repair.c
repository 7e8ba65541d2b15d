// SPDX-License-Identifier: MIT
/* blkreel repair: makes a complete trace from one that was cut or damaged. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/progress.h"
#include "base/units.h"
#include "commands/shared/command.h"
#include "commands/shared/long_work.h"
#include "commands/shared/output.h"
#include "trace/format.h"
#include "trace/repair/repair.h"

struct config {
	const char *output;
};

static const struct option_def option_defs[] = {
	OPTION(struct config, output, 'o', "output", FILE, "FILE",
	       "write the new trace to FILE, which is replaced if it\nis a trace (required)"),
	{0},
};

static const struct command_usage usage = {
	.name = "repair",
	.synopsis = "TRACE -o FILE",
	.summary = "Makes a complete trace from one that was cut or damaged. Every good block is\n"
		   "copied unchanged. What was lost is reported, and recorded in the new trace as\n"
		   "losses with their time. The damaged file is only read. A complete trace is\n"
		   "copied. The exit code is 0 if the new trace is complete.",
	.examples = "  blkreel repair killed.reel -o whole.reel\n",
	.options = option_defs,
};

static int output_error(const char *path, const char *output, int err)
{
	switch (err) {
	case -EEXIST:
	case -ELOOP:
	case -EXDEV:
	case -EUSERS:
	case -EMLINK:
	case -EBUSY:
	case -ENOSPC:
	case -EDQUOT:
	case -EFBIG:
		return cmd_output_error(output, err);
	case -EPROTONOSUPPORT:
		pr_err("%s: was made by a newer blkreel: repair it with that version", path);
		return EXIT_BAD_INPUT;
	default:
		pr_err("cannot repair %s into %s: %s", path, output, strerror(-err));
		return EXIT_FAILED;
	}
}

/* The parts that were written again. */
static void say_made(const char *path, const struct repair_result *r)
{
	if (r->head_lost)
		pr_warn("%s: the head of the file was damaged and written again", path);
	if (r->host_lost)
		pr_warn("%s: the host block was lost: host, kernel and command are not known, the "
			"recording begins with its first row",
			path);
	if (r->summary_lost)
		pr_warn("%s: the recorder's summary was lost: the recording ends with its last row",
			path);
	if (r->end_lost)
		pr_warn("%s: there was no end mark: index and end mark were written again; whether "
			"the recording went on is not known",
			path);
}

static void say_names(const char *path, const struct repair_result *r)
{
	static const char *const tables[] = {
		[BLOCK_TIERS] = "how figures were measured",
		[BLOCK_DEVICES] = "devices",
		[BLOCK_TASKS] = "processes",
		[BLOCK_FILES] = "files",
		[BLOCK_CGROUPS] = "cgroups",
		[BLOCK_STACKS] = "stacks",
	};

	for (unsigned int kind = BLOCK_TIERS; kind <= BLOCK_STACKS; kind++)
		if (tables[kind] && r->tables_lost & (1u << kind))
			pr_warn("%s: a block of metadata was lost (%s): rows keep their ids without "
				"names",
				path, tables[kind]);
	if (r->unknown_lost)
		pr_warn("%s: what could not be read may have held names as well: 'blkreel info "
			"--verify' counts the ids that lack one",
			path);
}

static void say_lost(const char *path, const struct repair_result *r)
{
	if (r->gaps)
		pr_warn("%s: %s in %s could not be read; %s%s %s lost there%s", path,
			COUNTED_TEXT(r->bytes_lost, "byte"), COUNTED_TEXT(r->gaps, "place"),
			r->at_least ? "at least " : "",
			r->rows_lost ? COUNTED_TEXT(r->rows_lost, "row") : "no rows",
			r->rows_lost == 1 ? "was" : "were",
			r->rows_lost ? " (see 'blkreel info', file_damage)" : "");
	else if (r->rows_lost)
		pr_warn("%s: %s that the end mark counts %s not in the file", path,
			COUNTED_TEXT(r->rows_lost, "row"), r->rows_lost == 1 ? "is" : "are");
	if (r->bytes_behind)
		pr_warn("%s: left out: %s behind %s", path, COUNTED_TEXT(r->bytes_behind, "byte"),
			r->other_recording ? "the start of another recording" : "the end mark");
}

static void say(const char *path, const char *output, const struct repair_result *r)
{
	char bytes[UNITS_TEXT_MAX];

	say_made(path, r);
	say_names(path, r);
	say_lost(path, r);
	pr_info("%s: %s, %s%s", output, COUNTED_TEXT(r->rows_kept, "row"),
		units_bytes(r->bytes_out, bytes),
		r->clean ? "; nothing was wrong, it is a copy" : "");
}

static int repair(const char *path, const char *output)
{
	struct repair_result result;
	const char *message = NULL;
	struct repair *r;
	int err = trace_repair__open(path, &r, &message);

	if (err)
		return cmd_open_error(path, err, message);
	if (trace_repair__is_input(r, output)) {
		trace_repair__free(r);
		pr_err("%s is the damaged trace itself: choose another name with -o", output);
		return EXIT_USAGE;
	}
	cmd_end_at_signal("%s was not made", output);
	progress_start("repair", cmd_bytes_of((char *const[]){(char *)path}, 1));
	err = trace_repair__run(r, output, &result);
	progress_stop();
	trace_repair__free(r);
	if (err)
		return output_error(path, output, err);
	say(path, output, &result);
	return EXIT_OK;
}

int cmd_repair(int argc, char **argv)
{
	struct config config = {0};
	int operand, code;

	if (!cmd_options(&usage, argc, argv, &config, &operand, NULL, &code))
		return code;
	if (operand != argc - 1)
		return options_usage_error(&usage, "takes one trace");
	if (!config.output)
		return options_usage_error(&usage, "needs -o, the name of the new trace");
	return repair(argv[operand], config.output);
}
