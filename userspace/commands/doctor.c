// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <liburing.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/log.h"
#include "base/options.h"
#include "commands/shared/command.h"
#include "collector/kernel/capabilities.h"
#include "collector/doctor/doctor.h"
#include "collector/doctor/self_check.h"
#include "render/json.h"
#include "render/table.h"

struct doctor_config {
	bool json, self_test;
};

static const struct option_def options[] = {
	OPTION(struct doctor_config, json, 0, "json", FLAG, NULL, "print JSON"),
	OPTION(struct doctor_config, self_test, 0, "self-test", FLAG, NULL,
	       "check the page cache figures against a known load\nin DIR (default: /var/tmp)"),
	{0},
};

static const struct command_usage usage = {
	.name = "doctor",
	.synopsis = "[--json] [--self-test [DIR]]",
	.summary =
		"Shows what this kernel, machine and user allow, how each figure would be\n"
		"measured, and what each restriction costs. It finds out by trying. It writes\n"
		"nothing, except for --self-test: a file without a name in DIR. Exits with 6 if\n"
		"nothing can be recorded, and with 1 if a figure is wrong.",
	.options = options,
};

static const char *const state_names[] = {"works", "limited", "missing"};

/* Indents text below a name. */
static const char indent[] = "              ";

struct report {
	json_t *capabilities, *figures, *devices, *self_test; /* NULL: text */
	bool missing, wrong;
	const char *last_load;
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
	const char *quality = report->missing ? "unavailable" : tier->quality;
	json_t *object;

	if (!report->figures) {
		printf("  %-12s%-21s %s\n", quality, tier->figure, tier->how);
		text_wrapped(stdout, indent, tier->note);
		return;
	}
	object = json_object();
	json_set_text(object, "figure", tier->figure);
	json_set_text(object, "quality", quality);
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

/* What replay needs. */
static void examine_io_uring(struct report *report)
{
	struct doctor_finding finding = {.name = "io_uring", .state = DOCTOR_WORKS};
	bool missing_so_far = report->missing;
	struct io_uring ring;
	int err = io_uring_queue_init(4, &ring, 0);

	if (!err) {
		snprintf(finding.how, DOCTOR_TEXT_MAX, "a ring was created");
		io_uring_queue_exit(&ring);
	} else {
		finding.state = DOCTOR_MISSING;
		snprintf(finding.how, DOCTOR_TEXT_MAX, "%s", strerror(-err));
		snprintf(
			finding.cost, DOCTOR_TEXT_MAX,
			"replay does not work: allow io_uring in the sysctl kernel.io_uring_disabled "
			"or in the seccomp filter of the container");
	}
	report_finding(&finding, report);
	report->missing = missing_so_far;
}

static void report_result(const struct self_check_result *result, void *context)
{
	static const char *const verdicts[] = {"right", "wrong", "not checked"};
	bool is_checked = result->verdict != SELF_CHECK_NOT_CHECKED;
	struct report *report = context;
	json_t *object;

	report->wrong |= result->verdict == SELF_CHECK_WRONG;
	if (!report->self_test) {
		if (report->last_load != result->load)
			printf("  %s\n", result->load);
		report->last_load = result->load;
		printf("    %-8s %-22s", verdicts[result->verdict], result->figure);
		if (is_checked)
			printf(" %" PRIu64 " pages", result->counted);
		if (result->verdict == SELF_CHECK_WRONG)
			printf(", expected %" PRIu64, result->expected);
		printf("\n");
		return;
	}
	object = json_object();
	json_set_text(object, "load", result->load);
	json_set_text(object, "tier", result->tier);
	json_set_text(object, "figure", result->figure);
	json_set_text(object, "verdict", verdicts[result->verdict]);
	json_object_set_new(object, "expected",
			    is_checked ? json_integer((json_int_t)result->expected) : json_null());
	json_object_set_new(object, "counted",
			    is_checked ? json_integer((json_int_t)result->counted) : json_null());
	json_array_append_new(report->self_test, object);
}

/* The exit code. */
static int run_self_test(const char *directory, struct report *report)
{
	char message[COLLECTOR_MESSAGE_MAX] = "";
	int err;

	if (!report->figures)
		printf("\nThe page cache, checked against a known load in %s\n", directory);
	fflush(stdout);
	err = self_check__run(directory, report_result, report, message);
	if (err) {
		pr_err("%s", message);
		return err == -EPERM ? EXIT_PRIVILEGE : EXIT_FAILED;
	}
	if (!report->figures)
		printf("  %s\n", report->wrong ? "a figure is wrong on this kernel: do not trust it"
					       : "every checked figure is right");
	return report->wrong ? EXIT_FAILED : EXIT_OK;
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
	if (report->self_test)
		json_object_set_new(document, "self_test", report->self_test);
	return json_print(stdout, document);
}

int cmd_doctor(int argc, char **argv)
{
	struct doctor_config config = {0};
	struct report report = {0};
	struct utsname uts;
	int operand, code, tested = EXIT_OK;

	if (!cmd_options(&usage, argc, argv, &config, &operand, NULL, &code))
		return code;
	if (operand + config.self_test < argc)
		return options_usage_error(&usage, "unexpected argument '%s'",
					   argv[operand + config.self_test]);
	uname(&uts);
	if (config.json) {
		report.capabilities = json_array();
		report.figures = json_array();
		report.devices = json_array();
		report.self_test = config.self_test ? json_array() : NULL;
	} else {
		printf("Linux %s on %s\n\nWhat works here\n", uts.release, uts.machine);
	}
	doctor__examine(report_finding, &report);
	examine_io_uring(&report);
	if (!config.json)
		printf("\nHow each figure %s\n",
		       report.missing ? "would be measured, once recording is possible"
				      : "is measured");
	capabilities__each_tier(PROBE_ALL, report_tier, &report);
	if (!config.json)
		printf("\nDevices\n");
	doctor__each_device(report_device, &report);
	if (config.self_test && !report.missing)
		tested = run_self_test(operand < argc ? argv[operand] : "/var/tmp", &report);
	if (config.json)
		print_json_report(&report, &uts);
	code = cmd_flush_stdout();
	if (report.missing)
		return EXIT_PRIVILEGE;
	return tested ? tested : code;
}
