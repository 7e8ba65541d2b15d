// SPDX-License-Identifier: MIT
#include <stddef.h>
#include <stdio.h>

#include "base/log.h"
#include "base/options.h"
#include "commands/shared/command.h"
#include "commands/profile/operations.h"
#include "commands/shared/workload_input.h"
#include "compare/comparison.h"
#include "render/compare/pair.h"
#include "render/profile/text.h"

struct diff_config {
	bool json;
};

static const struct option_def options[] = {
	OPTION(struct diff_config, json, 0, "json", FLAG, NULL, "print JSON"),
	{0},
};

static const struct command_usage usage = {
	.name = "profile diff",
	.synopsis = "A B [--json]",
	.summary =
		"Compares two profiles: the figures of the IOs that each generates from its own seed,\n"
		"and the share of each kind of stream.",
	.options = options,
};

static int open_side(struct workload_input *input, const char *path)
{
	int code = workload_input_open(input, path, NULL, "", true);

	if (!code && !input->profile) {
		pr_err("%s: is a trace; 'blkreel compare' compares traces, too", path);
		return EXIT_USAGE;
	}
	return code ? code : workload_input_measure(input);
}

int cmd_profile_diff(int argc, char **argv)
{
	struct diff_config config = {0};
	struct workload_input a = {0}, b = {0};
	struct comparison comparison;
	int first, code;

	if (!cmd_options(&usage, argc, argv, &config, &first, NULL, &code))
		return code;
	if (argc - first != 2)
		return options_usage_error(&usage, "takes two profiles, not %d", argc - first);
	code = open_side(&a, argv[first]);
	if (!code)
		code = open_side(&b, argv[first + 1]);
	if (!code) {
		compare_workloads(a.figures, b.figures, &comparison);
		if (config.json) {
			render_profile_diff_json(&comparison, a.profile, b.profile, stdout);
		} else {
			render_workload_table(&comparison, a.path, b.path, stdout);
			render_profile_diff_streams(a.profile, b.profile, stdout);
		}
		code = cmd_flush_stdout();
	}
	workload_input_close(&a);
	workload_input_close(&b);
	return code;
}
