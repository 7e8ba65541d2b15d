// SPDX-License-Identifier: MIT
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/options.h"
#include "base/progress.h"
#include "commands/shared/command.h"
#include "commands/shared/explained_trace.h"
#include "commands/shared/long_work.h"
#include "commands/shared/part.h"
#include "explain/explain.h"
#include "render/explain/charts.h"
#include "render/explain/explain.h"

struct explain_options {
	bool json, charts;
	struct option_list devices;
	struct stream_options part;
	uint64_t cache_bytes;
	unsigned int by;
};

static const struct option_def options[] = {
	OPTION(struct explain_options, json, 0, "json", FLAG, NULL,
	       "print everything as one JSON document"),
	OPTION(struct explain_options, charts, 0, "charts", FLAG, NULL,
	       "draw load and latency over time, on a terminal"),
	OPTION(struct explain_options, devices, 'd', "device", LIST, "DEV",
	       "explain only this device (repeatable)"),
	OPTION(struct explain_options, by, 'b', "by", CHOICE, "WHAT",
	       "show a row for each process, command, cgroup,\nunit (of systemd), container, pod or file (default:\n"
	       "the first 10 of each; many processes of one command\nare one row)",
	       .choices = explain_by_names),
	PART_OPTIONS(struct explain_options, part),
	CACHE_SIZE_OPTION(struct explain_options, cache_bytes),
	{0},
};

static const struct command_usage usage = {
	.name = "explain",
	.synopsis = "[OPTIONS] FILE...",
	.summary =
		"Shows where the time of a recording went, into the page cache, the queue or the\n"
		"device, and which processes, files and cgroups caused it. Lists what is unusual,\n"
		"and what to do about it. Tells the peak load, and which limits on IOs or bytes a\n"
		"second a volume would need. Several traces, such as the files of one recording,\n"
		"are explained as one, on one clock.",
	.examples = "  blkreel explain prod.reel\n"
		    "  blkreel explain --from 15:10 --to 15:15 prod-*.reel\n"
		    "  blkreel explain -d nvme0n1 prod.reel\n"
		    "  blkreel explain --by container prod.reel\n"
		    "  blkreel explain --charts prod.reel\n"
		    "  blkreel explain --json prod.reel | jq '.findings[].title'\n",
	.options = options,
};

/* What is read of the trace: for charts with its course over time. */
struct explained {
	const char *path;      /* to read */
	const char *name;      /* for people */
	uint64_t from_ns;      /* of the recording */
	uint64_t part_ns;      /* the length of a part of it; 0: the whole */
	struct report *report; /* NULL: without charts */
	struct explanation *x;
	struct chart_style style;
};

static int print(const struct explain_options *config, const struct explained *explained)
{
	int err = (config->json ? explain_print_json : explain_print_text)(
		stdout, explained->name, explained->x, config->by);
	int code;

	if (!err && explained->report)
		err = explain_print_charts(stdout, &explained->style, explained->report);
	code = cmd_flush_stdout();
	if (err && !code) {
		pr_err("cannot print: %s", strerror(-err));
		code = EXIT_FAILED;
	}
	return code;
}

/* Charts need the length of the trace, for the width of their bins. */
static int read_trace(const struct explain_options *config, struct trace_reader *reader,
		      struct explained *explained, int *read_err)
{
	const struct option_list *devices = &config->devices;
	uint64_t duration_ns = 0;
	int err;

	if (!config->charts)
		err = explain_trace(reader, devices->items, devices->count, explained->part_ns,
				    &explained->x, read_err);
	else if (cmd_trace_duration(explained->path, &duration_ns))
		return EXIT_FAILED;
	else
		err = report_trace(reader, devices->items, devices->count, duration_ns,
				   explained->part_ns, &explained->report, read_err);
	if (explained->report)
		explained->x = explained->report->explanation;
	if (!err)
		return EXIT_OK;
	pr_err("%s: cannot explain: %s", explained->name, strerror(-err));
	return EXIT_FAILED;
}

static int explain_reader(const struct explain_options *config, struct explained explained,
			  struct trace_reader *reader)
{
	int read_err = 0, code, printed;

	if (config->charts)
		chart_style_of(stdout, &explained.style);
	code = read_trace(config, reader, &explained, &read_err);
	if (!code)
		code = cmd_explain_check_devices(&usage, reader, &config->devices, explained.name);
	if (!code)
		code = cmd_explain_what_if(explained.path, reader, config->cache_bytes,
					   explained.x);
	progress_stop();
	if (code)
		goto out;
	explained.x->from_ns = explained.from_ns;
	code = cmd_trace_finish(explained.name, reader, read_err);
	printed = print(config, &explained);
	if (printed)
		code = printed;
out:
	if (explained.report)
		report__free(explained.report);
	else
		explanation__free(explained.x);
	return code;
}

/* Charts are for eyes: in a pipe they would stand in the way of what reads the text. */
static int check_charts(struct explain_options *config)
{
	struct chart_style style;

	if (config->charts && config->json)
		return options_usage_error(&usage, "--charts draws on a terminal, not in JSON: "
						   "'blkreel report --json' has the figures");
	if (config->charts && !chart_style_of(stdout, &style)) {
		pr_info("standard output is no terminal: no charts are drawn; 'blkreel report' "
			"draws them on a page");
		config->charts = false;
	}
	return EXIT_OK;
}

static bool has_part(int code)
{
	return code == EXIT_OK || code == EXIT_INCOMPLETE || code == EXIT_BAD_INPUT;
}

/* `part_code`: what became of the traces of which the part is. */
static int explain_part(const struct explain_options *config, const struct part *part,
			const char *name, int part_code)
{
	struct explained explained = {.path = part->path, .name = name, .from_ns = part->from_ns};
	struct trace_reader *reader;
	int code = part->fd < 0 ? EXIT_OK : cmd_trace_duration(part->path, &explained.part_ns);

	if (!code)
		code = cmd_trace_open(part->path, &reader);
	if (code)
		return code;
	progress_start("explain", cmd_bytes_of((char *const[]){(char *)part->path}, 1));
	code = explain_reader(config, explained, reader);
	trace_reader__free(reader);
	return code ? code : part_code;
}

int cmd_explain(int argc, char **argv)
{
	struct explain_options config = {.by = EXPLAIN_BY_ALL};
	char name[PATH_MAX + 32];
	unsigned int count;
	struct part part;
	int first = 0, code;

	if (!cmd_options(&usage, argc, argv, &config, &first, NULL, &code))
		return code;
	if (first >= argc)
		return options_usage_error(&usage, "no FILE given");
	count = (unsigned int)(argc - first);
	code = check_charts(&config);
	if (code)
		return code;
	snprintf(name, sizeof(name), "%s", argv[first]);
	if (count > 1)
		snprintf(name, sizeof(name), "%s and %u more", argv[first], count - 1);
	cmd_end_at_signal("%s was not explained", name);
	progress_start("copy", cmd_bytes_of(argv + first, count));
	code = part__make(&usage, &config.part, argv + first, count, &part);
	if (has_part(code) && part.path)
		code = explain_part(&config, &part, name, code);
	progress_stop();
	part__release(&part);
	return code;
}
