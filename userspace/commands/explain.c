// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/options.h"
#include "commands/shared/command.h"
#include "explain/explain.h"
#include "explain/figures/what_if.h"
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
	OPTION(struct explain_options, cache_bytes, 0, "cache-size", BYTES, "SIZE",
	       "show what half, twice and four times this size of\n"
	       "the page cache would have changed (default: the\n"
	       "most that was cached during the recording)",
	       .min = 4096),
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

/* All devices are known only after the whole trace was read. */
static int check_devices(const struct trace_reader *reader, const struct option_list *wanted,
			 const char *path)
{
	uint32_t last = trace_reader__devices(reader);

	for (unsigned int i = 0; i < wanted->count; i++) {
		const char *given = wanted->items[i];
		const char *name = strncmp(given, "/dev/", 5) ? given : given + 5;
		bool is_known = false;

		for (uint32_t id = 1; id <= last && !is_known; id++) {
			const struct trace_device *device = trace_reader__device(reader, id);

			is_known = device && !strcmp(device->name, name);
		}
		if (!is_known)
			return options_usage_error(&usage,
						   "%s has no device '%s'; 'blkreel info %s' "
						   "lists what it has",
						   path, given, path);
	}
	return EXIT_OK;
}

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

/* Reads the rows again, because the size of the page cache is known only at their end. */
static int add_what_if(const struct explain_options *config, const char *path,
		       const struct trace_reader *whole, struct explanation *x)
{
	struct trace_reader *rows;
	struct stat file;
	int err, code;

	if (!explain_has_accesses(x) || stat(path, &file) || !S_ISREG(file.st_mode))
		return EXIT_OK;
	code = cmd_trace_open(path, &rows);
	if (code)
		return code;
	err = explain_what_if(x, whole, rows, config->cache_bytes);
	trace_reader__free(rows);
	if (!err)
		return EXIT_OK;
	pr_err("%s: cannot explain: %s", path, strerror(-err));
	return EXIT_FAILED;
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
	code = check_devices(reader, &config->devices, path);
	if (!code)
		code = add_what_if(config, path, reader, x);
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
	code = cmd_trace_open(argv[first], &reader);
	if (code)
		return code;
	code = explain_reader(&config, argv[first], reader);
	trace_reader__free(reader);
	return code;
}
