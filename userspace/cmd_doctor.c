#include <liburing.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/options.h"
#include "cmd.h"
#include "collector/capabilities.h"
#include "collector/doctor.h"
#include "render/json.h"
#include "render/table.h"

struct doctor_config {
	bool json;
};

static const struct option_def options[] = {
	{"json", 0, OPT_FLAG, offsetof(struct doctor_config, json), NULL, "print JSON", 0, 0, NULL},
	{0},
};

static const struct command_usage usage = {
	.name = "doctor",
	.synopsis = "[--json]",
	.summary =
		"Says what this kernel, machine and user can do, how each figure would be got\n"
		"and what each lack costs. Found out by trying; nothing is written. Exits with 6\n"
		"when nothing can be recorded.",
	.options = options,
};

static const char *const state_names[] = {"works", "limited", "missing"};

/* Under the names of what is reported. */
static const char indent[] = "              ";

struct report {
	json_t *capabilities, *figures, *devices; /* NULL: text */
	bool missing;
};

static void report_finding(const struct doctor_finding *finding, void *context)
{
	struct report *report = context;
	json_t *object;

	report->missing |= finding->state == DOCTOR_MISSING;
	if (!report->capabilities) {
		printf("  %-12s%s: %s\n", state_names[finding->state], finding->name, finding->how);
		if (*finding->cost)
			text_wrapped(stdout, indent, finding->cost);
		return;
	}
	object = json_object();
	json_set_text(object, "name", finding->name);
	json_set_text(object, "state", state_names[finding->state]);
	json_set_text(object, "how", finding->how);
	json_set_text(object, "cost", finding->cost);
	json_array_append_new(report->capabilities, object);
}

static void report_tier(const struct trace_tier *tier, void *context)
{
	struct report *report = context;
	json_t *object;

	if (!report->figures) {
		printf("  %-12s%-21s %s\n", tier->quality, tier->figure, tier->how);
		text_wrapped(stdout, indent, tier->note);
		return;
	}
	object = json_object();
	json_set_text(object, "figure", tier->figure);
	json_set_text(object, "quality", tier->quality);
	json_set_text(object, "how", tier->how);
	json_set_text(object, "note", tier->note);
	json_array_append_new(report->figures, object);
}

static void report_device(const char *name, bool recordable, const char *why, void *context)
{
	struct report *report = context;
	json_t *object;

	if (!report->devices) {
		printf("  %-11s %s%s%s\n", name, recordable ? "can be recorded" : "", why,
		       recordable || *why ? "" : "cannot be recorded");
		return;
	}
	object = json_object();
	json_set_text(object, "name", name);
	json_set_bool(object, "recordable", recordable);
	json_set_text(object, "why", why);
	json_array_append_new(report->devices, object);
}

/* What replay rests on. */
static void examine_io_uring(struct report *report)
{
	struct doctor_finding finding = {.name = "io_uring", .state = DOCTOR_WORKS};
	bool missing_so_far = report->missing;
	struct io_uring ring;
	int err = io_uring_queue_init(4, &ring, 0);

	if (!err) {
		snprintf(finding.how, DOCTOR_TEXT_MAX, "a ring was made");
		io_uring_queue_exit(&ring);
	} else {
		finding.state = DOCTOR_MISSING;
		snprintf(finding.how, DOCTOR_TEXT_MAX, "%s", strerror(-err));
		snprintf(finding.cost, DOCTOR_TEXT_MAX,
			 "replay does not work: see the sysctl kernel.io_uring_disabled, or the "
			 "seccomp filter of the container");
	}
	report_finding(&finding, report);
	report->missing = missing_so_far;
}

static int print_json_report(struct report *report, const struct utsname *uts)
{
	json_t *document = json_document("doctor");

	json_set_text(document, "kernel", uts->release);
	json_set_text(document, "machine", uts->machine);
	json_set_bool(document, "can_record", !report->missing);
	json_object_set_new(document, "capabilities", report->capabilities);
	json_object_set_new(document, "figures", report->figures);
	json_object_set_new(document, "devices", report->devices);
	return json_print(stdout, document);
}

int cmd_doctor(int argc, char **argv)
{
	struct doctor_config config = {0};
	struct report report = {0};
	struct utsname uts;
	int operand, code;

	if (!cmd_options(&usage, argc, argv, &config, &operand, NULL, &code))
		return code;
	if (operand < argc)
		return options_usage_error(&usage, "unexpected word '%s'", argv[operand]);
	uname(&uts);
	if (config.json) {
		report.capabilities = json_array();
		report.figures = json_array();
		report.devices = json_array();
	} else {
		printf("Linux %s on %s\n\nWhat works here\n", uts.release, uts.machine);
	}
	doctor__examine(report_finding, &report);
	examine_io_uring(&report);
	if (!config.json)
		printf("\nHow each figure is got\n");
	capabilities__each_tier(PROBE_ALL, report_tier, &report);
	if (!config.json)
		printf("\nDevices\n");
	doctor__each_device(report_device, &report);
	if (config.json)
		print_json_report(&report, &uts);
	code = cmd_flush_stdout();
	return report.missing ? EXIT_PRIVILEGE : code;
}
