// SPDX-License-Identifier: MIT
/* The first screen of explain: the titles of what is grave. */
#include <stdio.h>
#include <stdlib.h>

#include "render/explain/explain.h"
#include "unit/shared/test.h"

static char text[65536];

/* How often the text about these findings has `part`. */
static unsigned int times_said(struct explain_finding *findings, uint32_t count, const char *part)
{
	struct explanation x = {.findings = findings, .finding_count = count};
	FILE *out = fmemopen(text, sizeof(text), "w");
	unsigned int times = 0;

	if (!out)
		abort();
	CHECK(!explain_print_text(out, "t.reel", &x, EXPLAIN_BY_ALL));
	fclose(out);
	for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
		times++;
	return times;
}

static void warnings_behind_what_could_save_more_are_on_the_first_screen(void)
{
	struct explain_finding findings[] = {
		{.id = "a", .severity = SEVERITY_WARNING, .title = "the first", .saves_ns = 3},
		{.id = "b", .severity = SEVERITY_INFO, .title = "the second", .saves_ns = 2},
		{.id = "c", .severity = SEVERITY_WARNING, .title = "the third", .saves_ns = 1},
	};

	CHECK_EQ(times_said(findings, 3, "warning: the first"), 2);
	CHECK_EQ(times_said(findings, 3, "info: the second"), 1);
	CHECK_EQ(times_said(findings, 3, "warning: the third"), 2);
}

int main(void)
{
	RUN(warnings_behind_what_could_save_more_are_on_the_first_screen);
	return TEST_RESULT;
}
