// SPDX-License-Identifier: MIT
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/options.h"
#include "base/units.h"
#include "commands/shared/command.h"
#include "commands/shared/workload_input.h"
#include "render/compare.h"

#define LIMIT_NAME_MAX 64

struct compare_config {
	const char *device, *device_a, *device_b;
	struct option_list fail_above;
	bool exact;
	bool json;
};

static const struct option_def options[] = {
	OPTION(struct compare_config, device, 'd', "device", TEXT, "NAME",
	       "compare this device of both\n(default: the one with the most IOs)"),
	OPTION(struct compare_config, device_a, 0, "device-a", TEXT, "NAME",
	       "compare this device of A"),
	OPTION(struct compare_config, device_b, 0, "device-b", TEXT, "NAME",
	       "compare this device of B"),
	OPTION(struct compare_config, exact, 0, "exact", FLAG, NULL,
	       "compare two traces IO by IO too: operation, flags,\n"
	       "priority, size, and the order of overlapping IOs"),
	OPTION(struct compare_config, fail_above, 0, "fail-above", LIST, "FIGURE=LIMIT",
	       "exit with 7 if the figure is above the limit\n(repeatable)"),
	OPTION(struct compare_config, json, 0, "json", FLAG, NULL, "print JSON"),
	{0},
};

static const struct command_usage usage = {
	.name = "compare",
	.synopsis = "[OPTIONS] A B",
	.summary =
		"Shows whether B is the same workload as A, whether B is faster or slower, and\n"
		"where: in the queue or in the device. A and B are each a trace or a profile. A\n"
		"profile is generated from its own seed. Ratios are B / A.\n\n"
		"The same workload: IOs and bytes within 5 %, reads within 2 points, sizes\n"
		"within 0.05, gaps within 0.10, cache miss curve within 0.05, sequential share\n"
		"within 5 points, reads in the busiest tenth within 10 points, bursts (at 10 ms,\n"
		"1 s, 60 s) and bursts of bytes at 1 s (workload.bytes_idc_ratio) within a\n"
		"factor of 2, where bursts near 0 (below 0.1) count as 0.1; the peak in 10 ms\n"
		"within a factor of 2, footprint within a factor of 1.25.\n"
		"There is no verdict (exit status 5) if over 1 % of the IOs of A or B were lost.\n\n"
		"Figures of --fail-above:\n"
		"  workload.NAME, as in the JSON document: workload.idc_ratio.1s\n"
		"  latency.{read,write}.[queue.|device.]{mean,p50,p90,p99,p99_9,max}, as B / A\n"
		"  exact.{op,flags,priority,size,order,missing,added,differences}; implies --exact",
	.examples = "  blkreel compare prod.reel replayed.reel\n"
		    "  blkreel compare old.reel new.reel --fail-above latency.read.p99=1.2\n"
		    "  blkreel compare --exact prod.reel replayed.reel\n",
	.options = options,
};

struct limit {
	char name[LIMIT_NAME_MAX];
	double limit;
};

/* -EINVAL: not NAME=NUMBER with a known name. */
static int parse_limit(const char *spec, struct limit *limit)
{
	static const struct comparison nothing;
	const char *equals = strrchr(spec, '=');
	double value;

	if (!equals || (size_t)(equals - spec) >= sizeof(limit->name))
		return -EINVAL;
	memcpy(limit->name, spec, (size_t)(equals - spec));
	limit->name[equals - spec] = 0;
	if (comparison_figure(&nothing, limit->name, &value))
		return -EINVAL;
	return units_parse_real(equals + 1, 0, 1e12, &limit->limit);
}

static int check_limits(struct compare_config *config, struct limit *limits)
{
	const struct option_list *specs = &config->fail_above;

	for (unsigned int i = 0; i < specs->count; i++) {
		if (parse_limit(specs->items[i], &limits[i]))
			return options_usage_error(
				&usage,
				"--fail-above '%s': not FIGURE=LIMIT, such as latency.read.p99=1.2 "
				"or workload.size_tvd=0.05",
				specs->items[i]);
		config->exact |= !strncmp(limits[i].name, "exact.", 6);
	}
	return EXIT_OK;
}

/* A figure that is not known must not pass a gate. */
static int apply_limits(const struct comparison *c, const struct limit *limits, unsigned int count)
{
	int code = EXIT_OK;

	for (unsigned int i = 0; i < count; i++) {
		double value = NAN;

		comparison_figure(c, limits[i].name, &value);
		if (value <= limits[i].limit)
			continue;
		if (isnan(value))
			pr_err("%s is not known for these two, so it is not below %g",
			       limits[i].name, limits[i].limit);
		else
			pr_err("%s is %.4g, above the limit of %g", limits[i].name, value,
			       limits[i].limit);
		code = EXIT_ABOVE;
	}
	return code;
}

static int open_side(struct workload_input *input, const char *path, const char *device,
		     const char *common, const char *option, bool allow_profile)
{
	int code =
		workload_input_open(input, path, device ? device : common, option, allow_profile);

	return code ? code : workload_input_measure(input);
}

static int print(const struct compare_config *config, const struct comparison *c,
		 const struct workload_input *a, const struct workload_input *b)
{
	const struct compare_names names = {a->path, a->device_name, b->path, b->device_name};

	if (config->json)
		render_compare_json(c, &names, stdout);
	else
		render_compare_text(c, &names, stdout);
	return cmd_flush_stdout();
}

static int add_io(const struct io_row *row, void *context)
{
	return exact_list__add(context, row);
}

static int look_exactly(struct workload_input *a, struct workload_input *b,
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

int cmd_compare(int argc, char **argv)
{
	struct compare_config config = {0};
	struct limit limits[OPTION_LIST_MAX];
	struct workload_input a = {0}, b = {0};
	struct exact_differences exact;
	struct comparison comparison;
	int first, code, above;

	if (!cmd_options(&usage, argc, argv, &config, &first, NULL, &code))
		return code;
	if (argc - first != 2)
		return options_usage_error(&usage, "takes two traces or profiles, not %d",
					   argc - first);
	code = check_limits(&config, limits);
	if (code)
		return code;
	code = open_side(&a, argv[first], config.device_a, config.device, "--device-a",
			 !config.exact);
	if (!code)
		code = open_side(&b, argv[first + 1], config.device_b, config.device, "--device-b",
				 !config.exact);
	if (!code && config.exact)
		code = look_exactly(&a, &b, &exact);
	if (code)
		goto out;
	compare_workloads(a.figures, b.figures, &comparison);
	comparison_add_missing(&comparison, &a.missing, &b.missing);
	if (config.exact)
		comparison_add_exact(&comparison, &exact);
	code = print(&config, &comparison, &a, &b);
	above = apply_limits(&comparison, limits, config.fail_above.count);
	if (!code)
		code = above;
	if (!code && (a.torn || b.torn || comparison.no_verdict))
		code = EXIT_INCOMPLETE;
out:
	workload_input_close(&a);
	workload_input_close(&b);
	return code;
}
