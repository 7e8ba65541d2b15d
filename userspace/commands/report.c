// SPDX-License-Identifier: MIT
/* blkreel report: a page that shows what explain and compare say, and how it went over time. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/options.h"
#include "base/progress.h"
#include "commands/shared/command.h"
#include "commands/shared/explained_trace.h"
#include "commands/shared/long_work.h"
#include "commands/shared/output.h"
#include "commands/shared/text_output.h"
#include "commands/shared/compared.h"
#include "render/json.h"
#include "render/report/report.h"
#include "report/report.h"

#define TRACES_MAX 8u
/* Work of a byte of a trace in each pass: see progress_start(). */
#define FIND_END_WORK	0.1
#define REPORT_WORK	1.5
#define CELLS_BYTES_MAX 900000u /* so that a page has 1.5 MB at most */

struct config {
	const char *output;
	bool json;
	struct option_list devices;
	uint64_t cache_bytes;
};

static const struct option_def options[] = {
	OPTION(struct config, output, 'o', "output", FILE, "FILE",
	       "write the page to FILE, which is replaced if it is\n"
	       "such a page (required without --json)"),
	OPTION(struct config, json, 0, "json", FLAG, NULL, "print the data of the page as JSON"),
	OPTION(struct config, devices, 'd', "device", LIST, "DEV",
	       "report only this device (repeatable; of several\n"
	       "traces, each is compared by the first that it has)"),
	CACHE_SIZE_OPTION(struct config, cache_bytes),
	{0},
};

static const struct command_usage usage = {
	.name = "report",
	.synopsis = "[OPTIONS] FILE... -o PAGE",
	.summary =
		"Writes one page (HTML) that shows where the time of a recording went, and how load,\n"
		"latency, page cache, queue and addresses went over time. Of several recordings, the\n"
		"others are compared with the first, on the same scales. The page needs no network.",
	.notes = "The page names processes and files: 'blkreel copy --anonymize' removes them.\n",
	.examples = "  blkreel report prod.reel -o prod.html\n"
		    "  blkreel report before.reel after.reel -o change.html\n"
		    "  blkreel report --json prod.reel | jq '.traces[0].bin_ns'\n",
	.options = options,
};

/* One trace: what is read of it. */
struct input {
	const char *path;
	struct trace_reader *reader;
	struct report *report;
	int code; /* of reading it */
};

/* What the bins must cover. */
static int longest(char *const *paths, unsigned int count, uint64_t *duration_ns)
{
	int code = EXIT_OK;

	for (unsigned int i = 0; i < count && !code; i++)
		code = cmd_trace_duration(paths[i], duration_ns);
	return code;
}

/* Charts beside a verdict about one device, `compared` (NULL: none), are of that device. */
static int make_report(const struct config *config, uint64_t duration_ns, const char *compared,
		       struct input *input, int *read_err)
{
	if (compared && !config->devices.count)
		return report_trace(input->reader, &compared, 1, duration_ns, 0, &input->report,
				    read_err);
	return report_trace(input->reader, config->devices.items, config->devices.count,
			    duration_ns, 0, &input->report, read_err);
}

/* The device of the verdict; NULL: there is none, or it has no name. */
static const char *compared_device(const struct workload_input *input)
{
	const struct trace_device *device =
		trace_reader__device(input->reader, input->extent.device);

	return device && *device->name ? device->name : NULL;
}

static int read_trace(const struct config *config, uint64_t duration_ns, const char *compared,
		      struct input *input)
{
	int read_err = 0, code, err;

	code = cmd_trace_open(input->path, &input->reader);
	if (code)
		return code;
	err = make_report(config, duration_ns, compared, input, &read_err);
	if (err) {
		pr_err("%s: cannot report: %s", input->path, strerror(-err));
		return EXIT_FAILED;
	}
	/* Of several traces each needs one of the devices only. */
	if (!compared || !input->report->explanation->device_count)
		code = cmd_explain_check_devices(&usage, input->reader, &config->devices,
						 input->path);
	if (!code)
		code = cmd_explain_what_if(input->path, input->reader, config->cache_bytes,
					   input->report->explanation);
	if (!code)
		input->code = cmd_trace_finish(input->path, input->reader, read_err);
	return code;
}

/* Only what this command has written is replaced. */
static bool is_page(const char *head, size_t bytes)
{
	(void)bytes;
	return strstr(head, "<meta name=\"generator\" content=\"blkreel ");
}

static const struct output_kind page_kind = {
	.name = "page", .is_one = is_page, .follows = true, .streams = true};

static int write_page(const struct report_trace *traces, unsigned int count, const char *path)
{
	char message[PATH_MAX + 256];
	struct text_output page;
	int err = text_output__begin(&page, path, &page_kind);

	if (!err)
		err = text_output__end(&page, report_print_html(page.file, traces, count));
	if (!err)
		return EXIT_OK;
	if (err == -EEXIST) {
		pr_err("%s: exists and is no page of 'blkreel report'; choose another name for -o",
		       path);
		return EXIT_USAGE;
	}
	output_file__explain(path, &page_kind, err, message, sizeof(message));
	pr_err("%s", message);
	return EXIT_FAILED;
}

static int print_json(const struct report_trace *traces, unsigned int count)
{
	json_t *document = report_json(traces, count);
	int err = document ? json_print(stdout, document) : -ENOMEM;
	int code = cmd_flush_stdout();

	if (err && !code) {
		pr_err("cannot print: %s", strerror(-err));
		code = EXIT_FAILED;
	}
	return code;
}

static double work_of(char *const *paths, unsigned int count)
{
	double compare = count > 1 ? WORKLOAD_OPEN_WORK + WORKLOAD_READ_WORK : 0;

	return cmd_bytes_of(paths, count) * (FIND_END_WORK + REPORT_WORK + compare);
}

static int report(const struct config *config, struct input *inputs, unsigned int count,
		  char *const *paths)
{
	struct report_trace traces[TRACES_MAX];
	struct report *reports[TRACES_MAX];
	struct compared compared = {0};
	uint64_t duration_ns = 0;
	int code;

	progress_start("report", work_of(paths, count));
	progress_weigh(FIND_END_WORK);
	code = longest(paths, count, &duration_ns);
	if (!code && count > 1)
		code = cmd_compare_all(&compared, paths, count, &config->devices);
	progress_weigh(REPORT_WORK);
	for (unsigned int i = 0; i < count && !code; i++)
		code = read_trace(config, duration_ns,
				  count > 1 ? compared_device(&compared.inputs[i]) : NULL,
				  &inputs[i]);
	for (unsigned int i = 0; i < count && !code; i++) {
		traces[i] = (struct report_trace){.path = paths[i],
						  .report = inputs[i].report,
						  .chosen_devices = config->devices.items,
						  .chosen_count = config->devices.count};
		reports[i] = inputs[i].report;
	}
	if (!code)
		report_fit(reports, count, CELLS_BYTES_MAX);
	for (unsigned int i = 0; i < count && !code && count > 1; i++) {
		traces[i].comparison = cmd_compared(&compared, i);
		traces[i].device = compared.inputs[i].device_name;
		traces[i].first_device = compared.inputs[0].device_name;
	}
	progress_stop();
	if (!code)
		code = config->json ? print_json(traces, count)
				    : write_page(traces, count, config->output);
	for (unsigned int i = 0; i < count && !code; i++)
		code = inputs[i].code;
	cmd_compared_release(&compared);
	return code;
}

static int check_output(const struct config *config, char *const *paths, unsigned int count)
{
	if (config->json && config->output)
		return options_usage_error(&usage,
					   "--json prints to standard output: no -o with it");
	if (!config->json && !config->output)
		return options_usage_error(&usage, "no -o PAGE given, and no --json");
	if (config->json)
		return EXIT_OK;
	if (cmd_output_is_input(config->output, paths, count))
		return options_usage_error(&usage, "'%s' is one of the traces", config->output);
	return EXIT_OK;
}

int cmd_report(int argc, char **argv)
{
	struct input inputs[TRACES_MAX] = {0};
	struct config config = {0};
	unsigned int count;
	int first = 0, code;

	if (!cmd_options(&usage, argc, argv, &config, &first, NULL, &code))
		return code;
	count = (unsigned int)(argc - first);
	if (!count)
		return options_usage_error(&usage, "no FILE given");
	if (count > TRACES_MAX)
		return options_usage_error(&usage, "takes at most %u traces, not %u", TRACES_MAX,
					   count);
	code = check_output(&config, argv + first, count);
	if (code)
		return code;
	cmd_end_at_signal("%s was not made", config.output ? config.output : "the report");
	for (unsigned int i = 0; i < count; i++)
		inputs[i].path = argv[first + (int)i];
	code = report(&config, inputs, count, argv + first);
	for (unsigned int i = 0; i < count; i++) {
		report__free(inputs[i].report);
		trace_reader__free(inputs[i].reader);
	}
	return code;
}
