// SPDX-License-Identifier: MIT
/* The page of two traces and more. */
#include "compare/figures.h"
#include "render/report/page.h"
#include "unit/shared/test.h"

static char page[65536];

static void print(const struct comparison *c)
{
	const struct report_trace traces[] = {{.path = "a.reel", .device = ""},
					      {.path = "b.reel", .device = "", .comparison = c}};
	FILE *out = fmemopen(page, sizeof(page), "w");

	if (!out)
		abort();
	page_comparison(out, traces, 2);
	fclose(out);
}

/* The heading and the rest of a page of two traces with this summary. */
static void check_heading(const char *summary, const char *heading, const char *rest)
{
	static struct workload_figures figures;
	static struct comparison c = {.a = &figures, .b = &figures};
	char text[COMPARISON_SUMMARY_MAX];

	snprintf(c.summary, sizeof(c.summary), "%s", summary);
	print(&c);
	snprintf(text, sizeof(text), "<h1>%s</h1>\n<p class=\"rest\">%s</p>", heading, rest);
	CHECK(strstr(page, text) != NULL);
}

#define LACKS_DEPTH                                                                               \
	"Hardly ever were as many IOs at the device in A and B: this does not tell which device " \
	"is faster."

static void the_heading_is_the_first_sentence_on_speed(void)
{
	check_heading("The same workload. Reads are x2.00 slower in B (mean 1 ms to 2 ms).",
		      "Reads are x2.00 slower in B (mean 1 ms to 2 ms).", "The same workload. ");
	check_heading("The same workload. Reads are x2.00 faster in B (mean 2 ms to 1 ms). Writes "
		      "are x3.00 slower in B (mean 1 ms to 3 ms).",
		      "Reads are x2.00 faster in B (mean 2 ms to 1 ms).",
		      "The same workload. Writes are x3.00 slower in B (mean 1 ms to 3 ms).");
	check_heading(
		"The same workload. Reads: in B the median is x0.20, the mean x1.20. " LACKS_DEPTH
		" Writes are x3.00 slower in B (mean 1 ms to 3 ms).",
		"Reads: in B the median is x0.20, the mean x1.20.",
		"The same workload. " LACKS_DEPTH
		" Writes are x3.00 slower in B (mean 1 ms to 3 ms).");
}

static void a_doubt_about_speed_is_no_heading(void)
{
	check_heading("The same workload. Reads take as long in B as in A. " LACKS_DEPTH,
		      "The same workload.", "Reads take as long in B as in A. " LACKS_DEPTH);
}

static void without_a_verdict_the_reason_is_that_of_the_summary(void)
{
	static struct workload_figures figures;
	static struct comparison c = {
		.a = &figures,
		.b = &figures,
		.no_verdict = true,
		.no_verdict_reason = "neither A nor B has an IO.",
		.summary = "No verdict: neither A nor B has an IO.",
	};

	print(&c);
	CHECK(strstr(page, ">no verdict</span>") != NULL);
	CHECK(strstr(page, "<h1>No verdict: neither A nor B has an IO.</h1>") != NULL);
}

int main(void)
{
	RUN(the_heading_is_the_first_sentence_on_speed);
	RUN(a_doubt_about_speed_is_no_heading);
	RUN(without_a_verdict_the_reason_is_that_of_the_summary);
	return TEST_RESULT;
}
