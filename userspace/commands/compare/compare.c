// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/options.h"
#include "base/progress.h"
#include "commands/compare/sides.h"
#include "commands/compare/without.h"
#include "commands/shared/command.h"
#include "commands/shared/long_work.h"
#include "commands/shared/workload_input.h"
#include "compare/judge_repetitions.h"
#include "compare/limits.h"
#include "compare/repetitions.h"
#include "render/compare/pair.h"
#include "render/compare/runs.h"

enum compare_format {
	FORMAT_TEXT = 0,
	FORMAT_JSON,
	FORMAT_MARKDOWN,
	FORMAT_JUNIT,
};

struct compare_config {
	const char *device, *device_a, *device_b;
	struct option_list fail_above, fail_below;
	unsigned int format;
	bool exact;
	bool json;
};

static const char *const formats[] = {"text", "json", "markdown", "junit", NULL};

static const struct option_def options[] = {
	OPTION(struct compare_config, device, 'd', "device", TEXT, "NAME",
	       "compare this device of both\n(default: the one with the most IOs)"),
	OPTION(struct compare_config, device_a, 0, "device-a", TEXT, "NAME",
	       "compare this device of A"),
	OPTION(struct compare_config, device_b, 0, "device-b", TEXT, "NAME",
	       "compare this device of B and further candidates"),
	OPTION(struct compare_config, exact, 0, "exact", FLAG, NULL,
	       "compare two traces IO by IO too: operation, flags,\n"
	       "priority, size, and the order of overlapping IOs"),
	OPTION(struct compare_config, fail_above, 0, "fail-above", LIST, "FIGURE=LIMIT",
	       "exit with 7 if the figure is above the limit\n(repeatable)"),
	OPTION(struct compare_config, fail_below, 0, "fail-below", LIST, "FIGURE=LIMIT",
	       "exit with 7 if the figure is below the limit\n(repeatable)"),
	OPTION(struct compare_config, format, 0, "format", CHOICE, "FORMAT",
	       "print text, json, markdown or junit (default: text)", .choices = formats),
	OPTION(struct compare_config, json, 0, "json", FLAG, NULL, "print JSON"),
	{0},
};

static const struct command_usage usage = {
	.name = "compare",
	.synopsis = "[OPTIONS] A B\n[OPTIONS] BASE CANDIDATE CANDIDATE...\n"
		    "[OPTIONS] A1 A2 A3... -- B1 B2 B3... [-- C1...]",
	.summary =
		"Shows whether B is the same workload as A, whether B is faster or slower, and\n"
		"where: in the queue or in the device. Each is a trace or a profile. A profile is\n"
		"generated from its own seed. Ratios are B / A. '--' stands between several runs\n"
		"of each side: the figures are then medians over all pairs of runs, and with 3\n"
		"runs of each side they have an interval of 95 %, the noise of the runs.\n\n"
		"blkreel-compare(8) lists what makes a workload the same, and the limits.\n"
		"There is no verdict (exit status 5) if over 1 % of the IOs of a run were lost.\n\n"
		"Figures of --fail-above and --fail-below; with 3 runs of each side a figure\n"
		"fails only if the difference is beyond the noise of the runs:\n"
		"  workload.NAME, as in the JSON document: workload.idc_ratio.1s\n"
		"  workload.same: 1 or 0\n"
		"  latency.{read,write}.[queue.|device.]{mean,p50,p90,p99,p99_9,max}, as B / A\n"
		"  throughput.{iops,bytes_per_s}, as B / A\n"
		"  exact.{op,flags,priority,size,order,missing,added,differences}; implies --exact",
	.examples =
		"  blkreel compare prod.reel replayed.reel\n"
		"  blkreel compare base.reel disk1.reel disk2.reel disk3.reel\n"
		"  blkreel compare --fail-above latency.read.p99=1.2 --fail-below throughput.iops=0.9 \\\n"
		"      old1.reel old2.reel old3.reel -- new1.reel new2.reel new3.reel\n"
		"  blkreel compare --exact prod.reel replayed.reel\n",
	.options = options,
};

struct limits {
	struct limit list[2 * OPTION_LIST_MAX];
	unsigned int count;
};

static int parse_limits(const struct option_list *specs, bool is_floor, struct limits *limits)
{
	for (unsigned int i = 0; i < specs->count; i++) {
		if (limit__parse(specs->items[i], is_floor, &limits->list[limits->count++]))
			return options_usage_error(
				&usage,
				"--fail-%s '%s': not FIGURE=LIMIT, such as latency.read.p99=1.2 "
				"or workload.size_tvd=0.05",
				is_floor ? "below" : "above", specs->items[i]);
	}
	return EXIT_OK;
}

static int check_arguments(struct compare_config *config, const struct sides *sides,
			   struct limits *limits)
{
	int code = parse_limits(&config->fail_above, false, limits);

	if (!code)
		code = parse_limits(&config->fail_below, true, limits);
	if (code)
		return code;
	if (config->json && config->format != FORMAT_TEXT && config->format != FORMAT_JSON)
		return options_usage_error(&usage, "takes either --json or --format %s",
					   formats[config->format]);
	if (config->json)
		config->format = FORMAT_JSON;
	for (unsigned int i = 0; i < limits->count; i++)
		config->exact |= !strncmp(limits->list[i].name, "exact.", 6);
	if (config->exact &&
	    (sides->count != 2 || sides->list[0].set.count != 1 || sides->list[1].set.count != 1))
		return options_usage_error(&usage, "--exact takes one run of A and one of B");
	return EXIT_OK;
}

static int open_sides(const struct compare_config *config, struct sides *sides,
		      struct without *without)
{
	const char *device_a = config->device_a ? config->device_a : config->device;
	const char *device_b = config->device_b ? config->device_b : config->device;
	int code = without__find(without, sides->list[0].paths[0], sides->list[1].paths[0]);

	sides->list[0].left_out = without->left_out;
	if (!code)
		code = side__open(&sides->list[0], device_a, "--device-a", !config->exact);

	for (unsigned int i = 1; i < sides->count && !code; i++)
		code = side__open(&sides->list[i], device_b, "--device-b", !config->exact);
	return code;
}

static int add_io(const struct io_row *row, void *context)
{
	return exact_list__add(context, row);
}

static int compare_exactly(struct workload_input *a, struct workload_input *b,
			   struct exact_differences *differences)
{
	struct exact_list a_list = {0}, b_list = {0};
	int code, err;

	code = workload_input_each(a, add_io, &a_list);
	if (!code)
		code = workload_input_each(b, add_io, &b_list);
	if (!code) {
		err = exact_compare(&a_list, &b_list, differences);
		if (err)
			pr_err("cannot compare IO by IO: %s", strerror(-err));
		code = err ? EXIT_FAILED : EXIT_OK;
	}
	exact_list__free(&a_list);
	exact_list__free(&b_list);
	return code;
}

/* What is compared with the base, and its result. */
struct candidate {
	struct repetitions repetitions;
	struct limit_result limits[2 * OPTION_LIST_MAX];
};

static int compare_side(const struct compare_config *config, struct sides *sides,
			unsigned int index, struct candidate *candidate)
{
	static struct exact_differences exact;
	struct side *a = &sides->list[0], *b = &sides->list[index];
	int code;

	if (repetitions_compare(&a->set, &b->set, &candidate->repetitions)) {
		pr_err("cannot compare: %s", strerror(ENOMEM));
		return EXIT_FAILED;
	}
	judge_repetitions(&candidate->repetitions);
	if (!config->exact)
		return EXIT_OK;
	code = compare_exactly(&a->inputs[0], &b->inputs[0], &exact);
	if (!code)
		comparison_add_exact(&candidate->repetitions.pairs[0], &exact);
	return code;
}

static int check_limits(const struct limits *limits, const struct sides *sides, unsigned int index,
			struct candidate *candidate)
{
	char text[LIMIT_TEXT_MAX];
	int code = EXIT_OK;

	for (unsigned int i = 0; i < limits->count; i++) {
		struct limit_result *result = &candidate->limits[i];

		limit__check(&limits->list[i], &candidate->repetitions, result);
		if (!limit_result__is_failure(result))
			continue;
		limit_result__text(result, text);
		if (sides->count > 2)
			pr_err("%s: %s", sides->list[index].paths[0], text);
		else
			pr_err("%s", text);
		code = EXIT_ABOVE;
	}
	return code;
}

static bool is_pair(const struct compared *list, unsigned int count)
{
	return count == 1 && list[0].r->a->count == 1 && list[0].r->b->count == 1;
}

static void print_text(const struct compared *list, unsigned int count)
{
	const struct compare_names names = {list[0].a->paths[0],   list[0].a->devices[0],
					    list[0].b->paths[0],   list[0].b->devices[0],
					    list[0].a->origins[0], list[0].b->origins[0]};

	if (is_pair(list, count))
		render_compare_text(&list[0].r->pairs[0], &names, stdout);
	else if (count == 1)
		render_runs_text(&list[0], stdout);
	else
		render_candidates_text(list, count, stdout);
}

static void print_json(const struct compared *list, unsigned int count)
{
	const struct compare_names names = {list[0].a->paths[0],   list[0].a->devices[0],
					    list[0].b->paths[0],   list[0].b->devices[0],
					    list[0].a->origins[0], list[0].b->origins[0]};

	if (!is_pair(list, count))
		render_runs_json(list, count, stdout);
	else
		render_compare_json(&list[0].r->pairs[0], &names,
				    render_limits_json(list[0].limits, list[0].limit_count),
				    stdout);
}

static int print(enum compare_format format, const struct sides *sides,
		 const struct candidate *candidates, unsigned int limit_count)
{
	struct compared list[SIDES_MAX];
	unsigned int count = sides->count - 1;

	for (unsigned int i = 0; i < count; i++)
		list[i] = (struct compared){&candidates[i].repetitions, &sides->list[0].names,
					    &sides->list[i + 1].names, candidates[i].limits,
					    limit_count};
	switch (format) {
	case FORMAT_TEXT:
		print_text(list, count);
		break;
	case FORMAT_JSON:
		print_json(list, count);
		break;
	case FORMAT_MARKDOWN:
		render_runs_markdown(list, count, stdout);
		break;
	case FORMAT_JUNIT:
		render_runs_junit(list, count, stdout);
		break;
	}
	return cmd_flush_stdout();
}

static int compare_sides(const struct compare_config *config, const struct limits *limits,
			 struct sides *sides, struct candidate *candidates)
{
	bool no_verdict = false;
	int code = EXIT_OK, above = EXIT_OK;

	for (unsigned int i = 1; i < sides->count; i++) {
		code = compare_side(config, sides, i, &candidates[i - 1]);
		if (code)
			return code;
		no_verdict |= candidates[i - 1].repetitions.typical.no_verdict;
	}
	for (unsigned int i = 1; i < sides->count; i++)
		if (check_limits(limits, sides, i, &candidates[i - 1]))
			above = EXIT_ABOVE;
	progress_stop();
	code = print(config->format, sides, candidates, limits->count);
	if (!code)
		code = above;
	return !code && (sides__are_torn(sides) || no_verdict) ? EXIT_INCOMPLETE : code;
}

int cmd_compare(int argc, char **argv)
{
	struct compare_config config = {0};
	struct limits limits = {.count = 0};
	struct sides sides = {0};
	struct without without = {0};
	struct candidate *candidates = NULL;
	const char *message;
	int behind = sides__behind_separator(argc, argv), first, code, err;

	if (!cmd_options(&usage, argc, argv, &config, &first, NULL, &code))
		return code;
	err = sides__split(&sides, argc, argv, first, behind, &message);
	if (err == -EINVAL)
		code = options_usage_error(&usage, "%s", message);
	if (!err)
		code = check_arguments(&config, &sides, &limits);
	if (!err && !code)
		candidates = calloc(SIDES_MAX, sizeof(*candidates));
	if (err == -ENOMEM || (!err && !code && !candidates)) {
		pr_err("cannot compare: %s", strerror(ENOMEM));
		code = EXIT_FAILED;
	}
	cmd_end_at_signal("the comparison is not whole");
	if (candidates) {
		progress_start("compare", sides__work(&sides) * (config.exact ? 2 : 1));
		code = open_sides(&config, &sides, &without);
	}
	if (candidates && !code)
		code = compare_sides(&config, &limits, &sides, candidates);
	if (candidates && (!code || code == EXIT_ABOVE || code == EXIT_INCOMPLETE))
		without__report(&without, &sides.list[0].inputs[0], &sides.list[1].inputs[0]);
	without__release(&without);
	for (unsigned int i = 0; candidates && i < SIDES_MAX; i++)
		repetitions__release(&candidates[i].repetitions);
	free(candidates);
	sides__close(&sides);
	return code;
}
