// SPDX-License-Identifier: MIT
/* The first screen of a page. */
#include "render/report/page.h"
#include "report/report.h"
#include "unit/shared/test.h"

static char page[16384];

static void print(struct explanation *x)
{
	static struct report r;
	const struct report_trace trace = {.path = "t.reel", .report = &r};
	FILE *out = fmemopen(page, sizeof(page), "w");

	r.explanation = x;
	if (!out)
		abort();
	page_answer(out, &trace);
	fclose(out);
}

#define SAYS(part) CHECK(strstr(page, part) != NULL)

static unsigned int times(const char *part)
{
	unsigned int found = 0;

	for (const char *at = page; (at = strstr(at, part)); at += strlen(part))
		found++;
	return found;
}

static void findings_of_one_kind_are_one_card(void)
{
	struct explain_finding findings[] = {
		{.id = "errors",
		 .severity = SEVERITY_CRITICAL,
		 .device = "a",
		 .title = "a returned errors"},
		{.id = "device-dominates",
		 .device = "a",
		 .title = "a is slow",
		 .evidence = "1 of 2",
		 .advice = "Use less"},
		{.id = "device-dominates",
		 .device = "<b>",
		 .title = "b is slow",
		 .evidence = "3 of 4",
		 .advice = "Use less"},
		{.id = "storage-idle", .device = "c", .title = "c was idle"},
		{.id = "device-dominates",
		 .device = "c",
		 .title = "c is slow",
		 .evidence = "5 of 6",
		 .advice = "Use more"},
	};
	struct explanation x = {.findings = findings, .finding_count = 5};

	print(&x);
	CHECK_EQ(times("<article"), 3);
	SAYS("<b>a returned errors</b></summary>");
	SAYS("<b>a is slow <small>and &lt;b&gt;, c</small></b></summary><p>1 of 2</p><p><b>b is slow</b>: 3 of 4</p>"
	     "<p class=\"advice\">Use less</p><p><b>c is slow</b>: 5 of 6</p><p class=\"advice\">Use more</p></details>");
}

static void a_card_names_few_devices_and_each_once(void)
{
	struct explain_finding findings[12];
	struct explanation x = {.findings = findings, .finding_count = 12};

	memset(findings, 0, sizeof(findings));
	for (unsigned int i = 0; i < 12; i++) {
		findings[i].id = "tail-latency";
		snprintf(findings[i].device, sizeof(findings[i].device), "d%u", i % 6);
	}
	print(&x);
	CHECK_EQ(times("<article"), 1);
	SAYS("<small>and d1, d2, d3, d4 and 1 more</small>");
	x.finding_count = 1;
	print(&x);
	CHECK_EQ(times("more</small>"), 0);
	snprintf(findings[1].device, sizeof(findings[1].device), "d0");
	x.finding_count = 2;
	print(&x);
	SAYS("<small>and 1 more</small>");
}

static void another_severity_is_another_card(void)
{
	struct explain_finding findings[] = {{.id = "errors", .severity = SEVERITY_CRITICAL},
					     {.id = "errors"}};
	struct explanation x = {.findings = findings, .finding_count = 2};

	print(&x);
	CHECK_EQ(times("<article"), 2);
}

int main(void)
{
	RUN(findings_of_one_kind_are_one_card);
	RUN(a_card_names_few_devices_and_each_once);
	RUN(another_severity_is_another_card);
	return TEST_RESULT;
}
