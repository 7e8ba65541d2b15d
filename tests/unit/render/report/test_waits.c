// SPDX-License-Identifier: MIT
/* What a page says of waits: whose they were, and the limit that held them back. */
#include "base/units.h"
#include "render/report/page.h"
#include "report/report.h"
#include "unit/shared/test.h"

static char page[16384];

static void print_part(void (*part)(FILE *, const struct report_trace *), struct explanation *x)
{
	static struct report r;
	const struct report_trace trace = {.path = "t.reel", .report = &r};
	FILE *out = fmemopen(page, sizeof(page), "w");

	r.explanation = x;
	r.timeline.start_ns = 1000 * NSEC_PER_MSEC;
	if (!out)
		abort();
	part(out, &trace);
	fclose(out);
}

static void print(struct explanation *x)
{
	x->waits.recorded = true;
	print_part(page_waits, x);
}

#define SAYS(part) CHECK(strstr(page, part) != NULL)

static void calls_have_own_time_and_that_of_others(void)
{
	struct explain_calls calls[] = {
		{.kind = "read", .count = 3, .ns = NSEC_PER_MSEC},
		{.kind = "fsync", .count = 200, .ns = 500 * NSEC_PER_MSEC, .culprit_count = 3}};
	struct explain_wait_task task = {
		.comm = "ledger", .pid = 7, .calls = calls, .call_count = 2};
	struct explanation x = {.waits = {.tasks = &task, .task_count = 1}};

	calls[0].causes[CAUSE_CPU].ns = NSEC_PER_MSEC;
	calls[1].causes[CAUSE_JOURNAL].ns = 420 * NSEC_PER_MSEC;
	calls[1].causes[CAUSE_RUN_QUEUE].ns = 80 * NSEC_PER_MSEC;
	calls[1].others_ns[CAUSE_JOURNAL] = 120 * NSEC_PER_MSEC;
	calls[1].culprits[0] = (struct explain_culprit){"cp", CAUSE_JOURNAL, 60 * NSEC_PER_MSEC};
	calls[1].culprits[1] = (struct explain_culprit){"<b>", CAUSE_JOURNAL, 40 * NSEC_PER_MSEC};
	calls[1].culprits[2] = (struct explain_culprit){"cp", CAUSE_DEVICE, 20 * NSEC_PER_MSEC};
	print(&x);
	SAYS(">the journal 420 ms, a CPU (it could run) 80 ms<");
	SAYS("data-v=\"380000000\">380 ms<");
	SAYS("data-v=\"120000000\">120 ms<");
	SAYS(">cp 80 ms, &lt;b&gt; 40 ms<");
	CHECK(strstr(page, "<td>read</td>") == NULL);
}

static void many_tasks_of_one_name_are_one_row(void)
{
	struct explain_calls calls = {.kind = "fsync", .count = 8, .ns = NSEC_PER_SEC};
	struct explain_wait_task tasks[4] = {{.comm = "cp", .pid = 7}};
	struct explain_wait_task all = {.comm = "cp", .tasks = 4, .calls = &calls, .call_count = 1};
	struct explanation x = {.waits = {.tasks = tasks, .task_count = 4}};

	calls.causes[CAUSE_JOURNAL].ns = NSEC_PER_SEC;
	x.waits.commands = &all;
	x.waits.command_count = 1;
	print(&x);
	SAYS("<th scope=\"row\">cp <small>4 tasks</small></th><td>fsync</td>");
}

static void a_limit_is_told_with_its_value(void)
{
	struct explain_calls calls = {.kind = "read", .count = 100, .ns = NSEC_PER_SEC};
	struct explain_wait_task task = {.calls = &calls, .call_count = 1};
	struct explanation x = {.waits = {.tasks = &task, .task_count = 1}};

	task.limit = (struct explain_io_limit){.cgroup = (char *)"/a&b", .ios_per_s = 50};
	calls.causes[CAUSE_CGROUP_LIMIT].ns = NSEC_PER_SEC;
	print(&x);
	SAYS(">the IO limit of its cgroup /a&amp;b (50 reads a second) 1.00 s<");
}

static void pairs_are_of_two_programs(void)
{
	struct explain_blame pairs[] = {
		{.victim = (char *)"ledger", .culprit = (char *)"ledger", .ns = 9 * NSEC_PER_MSEC},
		{.victim = (char *)"ledger",
		 .culprit = (char *)"cp",
		 .where = BLAME_IN_JOURNAL,
		 .ns = 8 * NSEC_PER_MSEC},
		{.by = BLAME_BY_FILE, .victim = (char *)"/a", .culprit = (char *)"/b", .ns = 7}};
	struct explanation x = {.waits = {.blame = pairs, .blame_count = 3}};

	print(&x);
	SAYS("<th scope=\"row\">ledger</th><td>cp</td><td>journal</td>");
	CHECK(strstr(page, "<td>ledger</td>") == NULL);
	CHECK(strstr(page, "/b") == NULL);
}

static void a_long_wait_has_its_moment_and_its_culprit(void)
{
	struct explanation x = {.waits = {.worst_count = 1}};

	x.waits.worst[0] = (struct explain_worst_wait){.time_ns = 1250 * NSEC_PER_MSEC,
						       .duration_ns = 99 * NSEC_PER_MSEC,
						       .cause = CAUSE_JOURNAL,
						       .pid = 7,
						       .kind = "fsync",
						       .comm = "ledger",
						       .culprit = "cp",
						       .culprit_ns = 4 * NSEC_PER_MSEC,
						       .culprit_bytes = 1 << 20,
						       .culprit_wrote = true};
	print(&x);
	SAYS("data-at=\"250000000\">0.250000 s<");
	SAYS(">cp 4 ms (it had written 1.0 MiB)<");
}

static void nothing_is_said_of_no_waits(void)
{
	struct explanation x = {0};

	print(&x);
	SAYS("No task waited.");
	CHECK(strstr(page, "<table") == NULL);
}

static void findings_lead_to_the_tables(void)
{
	struct explain_finding findings[] = {{.id = "fsync-storm"}, {.id = "waits-behind-others"}};
	struct explanation x = {.findings = findings, .finding_count = 2};
	const char *first;

	x.waits.recorded = true;
	print_part(page_answer, &x);
	first = strstr(page, "href=\"#waits-table\"");
	CHECK(first && strstr(first + 1, "href=\"#waits-table\""));
	x.waits.recorded = false;
	x.finding_count = 1;
	print_part(page_answer, &x);
	SAYS("href=\"#load\"");
}

int main(void)
{
	RUN(calls_have_own_time_and_that_of_others);
	RUN(many_tasks_of_one_name_are_one_row);
	RUN(a_limit_is_told_with_its_value);
	RUN(pairs_are_of_two_programs);
	RUN(a_long_wait_has_its_moment_and_its_culprit);
	RUN(findings_lead_to_the_tables);
	RUN(nothing_is_said_of_no_waits);
	return TEST_RESULT;
}
