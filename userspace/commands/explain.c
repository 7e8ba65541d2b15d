// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/options.h"
#include "base/progress.h"
#include "commands/shared/command.h"
#include "commands/shared/explained_trace.h"
#include "commands/shared/long_work.h"
#include "explain/explain.h"
#include "render/explain/explain.h"

struct explain_options {
	bool json;
	struct option_list devices;
	uint64_t cache_bytes;
};

static const struct option_def options[] = {
	OPTION(struct explain_options, json, 0, "json", FLAG, NULL,
	       "print everything as one JSON document"),
	OPTION(struct explain_options, devices, 'd', "device", LIST, "DEV",
	       "explain only this device (repeatable)"),
	CACHE_SIZE_OPTION(struct explain_options, cache_bytes),
	{0},
};

static const struct command_usage usage = {
	.name = "explain",
	.synopsis = "[OPTIONS] FILE",
	.summary =
		"Shows where the time of a recording went, into the page cache, the queue or the\n"
		"device, and which processes, files and cgroups caused it. Lists what is unusual,\n"
		"and what to do about it.",
	.examples = "  blkreel explain prod.reel\n"
		    "  blkreel explain -d nvme0n1 prod.reel\n"
		    "  blkreel explain --json prod.reel | jq '.findings[].title'\n",
	.options = options,
};

static int print(const struct explain_options *config, const char *path,
		 const struct explanation *x)
{
	int err = config->json ? explain_print_json(stdout, path, x)
			       : explain_print_text(stdout, path, x);
	int code = cmd_flush_stdout();

	if (err && !code) {
		pr_err("cannot print: %s", strerror(-err));
		code = EXIT_FAILED;
	}
	return code;
}

static int explain_reader(const struct explain_options *config, const char *path,
			  struct trace_reader *reader)
{
	struct explanation *x = NULL;
	int err, read_err = 0, code, printed;

	err = explain_trace(reader, config->devices.items, config->devices.count, &x, &read_err);
	if (err) {
		pr_err("%s: cannot explain: %s", path, strerror(-err));
		return EXIT_FAILED;
	}
	code = cmd_explain_check_devices(&usage, reader, &config->devices, path);
	if (!code)
		code = cmd_explain_what_if(path, reader, config->cache_bytes, x);
	progress_stop();
	if (code)
		goto out;
	code = cmd_trace_finish(path, reader, read_err);
	printed = print(config, path, x);
	if (printed)
		code = printed;
out:
	explanation__free(x);
	return code;
}

int cmd_explain(int argc, char **argv)
{
	struct explain_options config = {0};
	struct trace_reader *reader;
	int first = 0, code;

	if (!cmd_options(&usage, argc, argv, &config, &first, NULL, &code))
		return code;
	if (first >= argc)
		return options_usage_error(&usage, "no FILE given");
	if (argc - first > 1)
		return options_usage_error(&usage, "takes one trace, but '%s' follows",
					   argv[first + 1]);
	cmd_end_at_signal("%s was not explained", argv[first]);
	code = cmd_trace_open(argv[first], &reader);
	if (code)
		return code;
	progress_start("explain", cmd_bytes_of(argv + first, 1));
	code = explain_reader(&config, argv[first], reader);
	trace_reader__free(reader);
	return code;
}
